"""Four instances of one broker each, jobs of an instance, against that instance alone: jobs a second, and
where the CPU of a job goes.

    flux start -s1 … python3 hierarchy.py BUILD        (what run does)
"""
import json, os, subprocess, sys, time

CHILDREN = 4
FAKE_NODE = ["--test-hosts=n0", "--conf=resource.noverify=true",
             f'--conf=resource.config=[{{"hosts":"n0","cores":"0-{CHILDREN - 1}"}}]']
MOCK = ["--setattr=system.exec.test.run_duration=0.001s"]


def cpu_seconds(pid):
    """Of the process, and of all below it that has ended or lives now (zygote, shells, tasks)."""
    def times(of):
        fields = open(f"/proc/{of}/stat").read().rsplit(")", 1)[1].split()
        return [int(field) / os.sysconf("SC_CLK_TCK") for field in fields[11:15]]

    def children_of(of):
        try:
            children = open(f"/proc/{of}/task/{of}/children").read().split()
            return sum(sum(times(child)) + children_of(child) for child in children)
        except FileNotFoundError:  # it has just ended: its parent counts it
            return 0
    return sum(times(pid)[:2]), sum(times(pid)[2:]) + children_of(pid)


def ask(flux, uri, *words):
    return subprocess.check_output([flux, *words], text=True, env={**os.environ, "FLUX_URI": uri}).strip()


def burst(flux, uris, jobs, options):
    """Jobs a second over all instances; CPU seconds a job of the brokers, and of what they started."""
    brokers = [ask(flux, uri, "getattr", "broker.pid") for uri in uris]
    for uri in uris:
        ask(flux, uri, "run", *options, "true")
    before = [cpu_seconds(pid) for pid in brokers]
    begin = time.perf_counter()
    command = f"flux submit --quiet {' '.join(options)} --cc=1-{jobs // len(uris)} true && flux queue idle --quiet"
    running = [subprocess.Popen(["sh", "-c", command], env={**os.environ, "FLUX_URI": uri},
                                stdout=subprocess.DEVNULL) for uri in uris]
    failed = [process for process in running if process.wait() != 0]
    assert not failed, f"{len(failed)} of {len(uris)} instances did not run their jobs"
    took = time.perf_counter() - begin
    after = [cpu_seconds(pid) for pid in brokers]
    own, below = (sum(a[i] - b[i] for a, b in zip(after, before)) / jobs for i in (0, 1))
    return {"rate": jobs / took, "broker": own, "below": below}


def main():
    flux = f"{sys.argv[1]}/flux"
    alone = os.environ["FLUX_URI"]
    kinds = {"real": (1000, []), "mock": (4000, MOCK)}
    result = {"one": {kind: burst(flux, [alone], *what) for kind, what in kinds.items()}}
    ids = [ask(flux, alone, "alloc", "-n1", "--bg") for _ in range(CHILDREN)]
    children = [ask(flux, alone, "uri", "--local", jobid) for jobid in ids]
    result["four"] = {kind: burst(flux, children, *what) for kind, what in kinds.items()}
    ask(flux, alone, "cancel", "--quiet", *ids)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
