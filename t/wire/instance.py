"""A Sluice instance for a session of transcripts, and commands run in it."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading

START_SECONDS = 20
# What every machine looks like in the recordings: one package of two cores.
TOPOLOGY = pathlib.Path(__file__).resolve().parent / "two-cores.xml"


class Instance:
    """`flux start -sN` with hosts node0, node1, … in a folder of its own."""

    def __init__(self, flux, brokers=4, config="", options=(), program=None):
        self.flux = pathlib.Path(flux).resolve()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sluice-wire-"))
        self.folder.chmod(0o755)
        self.home, self.rundir = self.folder / "home", self.folder / "run"
        self.home.mkdir()
        self.rundir.mkdir()
        if config:
            (self.folder / "config.toml").write_text(config)
            options = [*options, "-c", str(self.folder / "config.toml")]
        self.path = f"{self.stand_in_hostname()}:{self.flux.parent}"
        self.environment = {
            "PATH": f"{self.path}:/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home),
            "LANG": "C.UTF-8", "USER": "user", "FLUX_HWLOC_XMLFILE": str(TOPOLOGY),
            "FLUX_URI_RESOLVE_LOCAL": "1"}
        command = [str(self.flux), "start", f"-s{brokers}", "-Stbon.topo=kary:2",
                   f"--test-hosts={'node0' if brokers == 1 else f'node[0-{brokers - 1}]'}",
                   f"--test-rundir={self.rundir}", "--test-exit-timeout=5s",
                   "--test-pmi-clique=per-broker", *options]
        program = program or ["sh", "-c", "echo up; exec cat"]
        self.aside = []
        self.log = open(self.folder / "log", "w+")
        self.process = subprocess.Popen(command + program, stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE, stderr=self.log, cwd=self.home,
                                        env=self.environment, start_new_session=True)
        watchdog = threading.Timer(START_SECONDS, self.process.terminate)
        watchdog.start()
        if self.process.stdout.readline() != "up\n":
            self.process.kill()
            self.process.wait()
            raise RuntimeError(f"no instance: {' '.join(command)}\n{self.messages()}")
        watchdog.cancel()
        self.environment["FLUX_URI"] = f"local://{self.rundir}/local-0"

    def stand_in_hostname(self):
        """A folder whose `hostname` tells the name of the broker that runs it."""
        folder = self.folder / "bin"
        folder.mkdir()
        (folder / "hostname").write_text('#!/bin/sh\necho "node${FLUX_URI##*-}"\n')
        (folder / "hostname").chmod(0o755)
        return folder

    def messages(self):
        return (self.folder / "log").read_text()

    def socket(self, rank=0):
        return str(self.rundir / f"local-{rank}")

    def run(self, command, seconds=20):
        """Standard output of a shell command run as a client of the instance."""
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=self.home,
                              env=self.environment, timeout=seconds, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise RuntimeError(f"{command}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
        return done.stdout

    def run_aside(self, command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL):
        """A shell command in a process group of its own; what is left of it goes with the instance."""
        process = subprocess.Popen(["bash", "-c", command], cwd=self.home, env=self.environment,
                                   stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        self.aside.append(process)
        return process

    def stop(self):
        try:
            self.process.stdin.close()
            self.process.wait(8)
        except (subprocess.TimeoutExpired, OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for process in self.aside:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.process.stdout.close()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
