"""One instance, and the transcripts that are played against it in order."""
import ctypes
import functools
import os
import platform
import re
import socket
import subprocess
import time
import traceback

from bindings import Bindings, from_f58, users_here
from instance import Instance
from play import Failed, Player, load, merged

# What another process did while the client was recorded: "(sleep 0.4; flux …) & flux …".
ASIDE = re.compile(r"^\((sleep .*?)\) ?&")
STEP = re.compile(r"(?P<name>[\w-]+)(?: @(?P<rank>\d+))?(?: & (?P<aside>.*))?")
BINDING = re.compile(r"(ƒ\S+) = (.*)")
USER, LOCAL = 2, 4  # roles
SETRESUID = {"x86_64": 117, "aarch64": 147}  # of this thread alone; os.seteuid() is for all threads


def become(user):
    """Sets the effective user id of the calling thread."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(SETRESUID[platform.machine()], -1, user, -1):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class Session:
    def __init__(self, name, options, flux, folder, excused):
        """`excused`: topics by transcript whose answers may differ."""
        self.name, self.options, self.flux, self.folder = name, options, flux, folder
        self.excused, self.results = excused, {}

    def run(self):
        """What went wrong with each transcript, None where it agreed."""
        try:
            self.instance = Instance(self.flux, self.options.get("brokers", 4),
                                     self.options.get("config", ""),
                                     self.options.get("options", ()))
        except RuntimeError as error:
            first, *rest = self.transcripts()
            return {first: str(error), **{name: f"session {self.name} did not start" for name in rest}}
        try:
            self.bindings = Bindings(self.paths(), users_here())
            if self.options.get("guest") and os.getuid():
                self.bindings.guise = (self.bindings.users[1001], USER | LOCAL)
            for step in self.steps():
                self.perform(step)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            first, *rest = [name for name in self.transcripts() if name not in self.results]
            self.results.update({name: f"session {self.name} had ended" for name in rest})
            self.results[first] = f"session {self.name}: {error}"
        finally:
            self.instance.stop()
        return self.results

    def steps(self):
        return [line.strip() for line in self.options["steps"].splitlines()
                if line.strip() and not line.startswith("#")]

    def transcripts(self):
        return [m["name"] for step in self.steps() if (m := STEP.fullmatch(step))]

    def paths(self):
        instance = self.instance
        return {"/home/user": str(instance.home), "local:///tmp/s": instance.environment["FLUX_URI"],
                "local:///tmp/p": instance.environment["FLUX_URI"],
                "local:///tmp/g": instance.environment["FLUX_URI"],
                "/opt/flux/bin:": instance.path + ":", "/run/flux": str(instance.rundir)}

    def perform(self, step):
        if step.startswith("$"):
            self.instance.run(self.bindings.text(step[1:]))
        elif m := BINDING.fullmatch(step):
            ours = self.instance.run(self.bindings.text(m[2])).split()[-1]
            self.bindings.bind_job(from_f58(m[1]), from_f58(ours))
        else:
            m = STEP.fullmatch(step)
            self.rank = int(m["rank"] or 0)
            self.results[m["name"]] = self.play(m["name"], m["aside"])

    def connect(self, at):
        """Rank and connection of the broker that listens at "local-RANK", of the step's for ""; made by
        the guest, through `flux proxy` or through `flux relay` where the session says so."""
        rank = int(at.rpartition("-")[2]) if at else self.rank
        path = self.instance.socket(rank)
        through = self.options.get("through")
        if through == "relay":
            ours, theirs = socket.socketpair()
            self.instance.run_aside(f"exec flux relay {path}", stdin=theirs, stdout=theirs)
            theirs.close()
            return rank, ours
        connected = socket.socket(socket.AF_UNIX)
        connected.settimeout(5)
        guest = self.bindings.users[1001] if self.options.get("guest") and os.getuid() == 0 else None
        if guest:
            become(guest)
        try:
            connected.connect(self.proxy() if through == "proxy" else path)
        finally:
            if guest:
                become(os.getuid())
        return rank, connected

    @functools.cache
    def proxy(self):
        """The socket of a `flux proxy` that serves until the instance ends."""
        told = self.instance.home / "proxy-uri"
        self.instance.run_aside('flux proxy $FLUX_URI "echo \\$FLUX_URI >proxy-uri; exec sleep 60"')
        for _ in range(100):
            if told.exists() and (uri := told.read_text().strip()):
                return uri.removeprefix("local://")
            time.sleep(0.05)
        raise Failed("flux proxy did not start")

    def records(self, name):
        if name == "relay-to-broker":
            return list(merged(load(self.folder / "relay-to-broker.jsonl"),
                               load(self.folder / "relay-from-broker.jsonl")))
        return load(self.folder / f"{name}.jsonl")

    def play(self, name, aside=None):
        records = self.records(name)
        command = records[0].get("command", [])
        if not aside and command[:2] == ["bash", "-c"] and (m := ASIDE.match(command[2])):
            aside = m[1]
        if aside:
            aside = self.instance.run_aside(self.bindings.text(aside))
        excused = self.excused.get(name, ())
        player = Player(records, self.connect, self.bindings, excused)
        try:
            player.play()
            for topic in excused:
                self.results[f"{name}/{topic}"] = player.differed.get(topic)
        except Failed as failed:
            return str(failed)
        except Exception:  # a fault of the test itself, told like any other
            return traceback.format_exc()
        finally:
            if aside:
                aside.wait()
        return None
