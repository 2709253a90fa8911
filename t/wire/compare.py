"""Compare a recorded message with ours, field by field. Types are strict (an integer is no real), keys
must be the same; `rules.py` says which values may differ, and how far."""
import base64
import errno
import json
import re

from bindings import from_f58
from rules import PLACED, rule_for

OF_CONTAINERS = ("any", "unordered", "without_online", "latest", "R")  # other kinds are of scalars
LOCAL = 4  # the role of a sender on the same broker

TOKEN = re.compile(r"(?P<blob>sha(?:1|256)-[0-9a-f]{40,64})"
                   r"|(?P<job>ƒ[1-9A-HJ-NP-Za-km-z]{5,})"
                   r"|(?P<uuid>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"
                   r"|(?P<date>\d{4}-\d\d-\d\dT[\d:.]+Z?)"
                   r"|(?P<uri>ssh://[\w.-]+/tmp/flux-\w{6})"
                   r"|(?P<version>\b\d+\.\d+\.\d+(?:-\d+-g[0-9a-f]+)?\b)"
                   r"|(?P<terminal>/dev/pts/\d+)"
                   r"|(?P<folder>/tmp/flux-\w{6})"
                   r"|(?P<host>\bnode(?:\d|\[[\d,-]+\]))")


class Difference(Exception):
    pass


def type_name(value):
    names = {bool: "boolean", int: "integer", float: "real", str: "string", dict: "object",
             list: "array"}
    return names.get(type(value), "null")


def idset_size(text):
    total = 0
    for part in text.strip("[]").split(","):
        if part:
            first, _, last = part.partition("-")
            total += int(last or first) - int(first) + 1
    return total


def hosts_size(text):
    """Hosts in a hostlist of the recorded form (node3, node[0-1,3])."""
    m = re.fullmatch(r"[^\[\],]*\[([\d,-]+)\]", text)
    return idset_size(m[1]) if m else len([t for t in text.split(",") if t])


def lines_of_json(text):
    """The objects in `text`, one a line, or None if it is something else."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = [json.loads(line) for line in text.splitlines()]
    except ValueError:
        return None
    return found if all(isinstance(one, dict) for one in found) else None


def output_lane(event):
    """Output of different tasks and streams comes in any order; each keeps its own."""
    context = event.get("context", {})
    if event.get("name") not in ("data", "redirect"):
        return ("",)
    return (event["name"], context.get("stream", ""), context.get("rank", ""))


class Comparison:
    """Of one message. `topic` is that of the request it answers."""

    def __init__(self, bindings, topic):
        self.bindings, self.topic = bindings, topic
        self.placed = PLACED.match(topic) is not None

    def fail(self, path, recorded, ours, why=""):
        raise Difference(f"{path}: recorded {json.dumps(recorded, ensure_ascii=False)[:300]}, "
                         f"ours {json.dumps(ours, ensure_ascii=False)[:300]}{why}")

    def value(self, recorded, ours, path):
        rule = rule_for(self.topic, path)
        if rule == "skip":
            return
        if type(recorded) is not type(ours):
            self.fail(path, recorded, ours, f" ({type_name(recorded)}, {type_name(ours)})")
        if rule and (rule in OF_CONTAINERS or not isinstance(recorded, (dict, list))):
            return getattr(self, rule)(recorded, ours, path)
        if isinstance(recorded, dict):
            self.object(recorded, ours, path)
        elif isinstance(recorded, list):
            self.array(recorded, ours, path)
        elif isinstance(recorded, str):
            self.text(recorded, ours, path)
        elif isinstance(recorded, int) and recorded in self.bindings.jobs:
            self.job(recorded, ours, path)
        elif recorded != ours:
            self.fail(path, recorded, ours)

    def object(self, recorded, ours, path):
        keys = {self.bindings.text(key): key for key in recorded}
        missing = [k for k in keys if k not in ours and rule_for(self.topic, f"{path}.{k}") != "skip"]
        more = [k for k in ours if k not in keys and rule_for(self.topic, f"{path}.{k}") != "skip"]
        if missing or more:
            self.fail(path, {k: recorded[keys[k]] for k in missing}, {k: ours[k] for k in more},
                      " (only in one of them)")
        for key, was in keys.items():
            if key in ours:
                self.value(recorded[was], ours[key], f"{path}.{key}".lstrip("."))

    def array(self, recorded, ours, path):
        if len(recorded) != len(ours):
            self.fail(path, recorded, ours, f" ({len(recorded)} and {len(ours)} elements)")
        for one, other in zip(recorded, ours):
            self.value(one, other, path + "[]")

    def text(self, recorded, ours, path):
        ours_parsed, parsed = lines_of_json(ours), lines_of_json(recorded)
        if parsed is not None and ours_parsed is not None:
            if path.endswith("output"):
                parsed.sort(key=output_lane)
                ours_parsed.sort(key=output_lane)
            if recorded.endswith("\n") != ours.endswith("\n"):
                self.fail(path, recorded, ours)
            if len(parsed) != len(ours_parsed):
                self.fail(path, recorded, ours, f" ({len(parsed)} and {len(ours_parsed)} lines)")
            for one, other in zip(parsed, ours_parsed):
                self.value(one, other, path)
        elif not self.same_text(self.bindings.text(recorded), ours):
            self.fail(path, recorded, ours)

    def same_text(self, recorded, ours):
        if recorded == ours:
            return True
        if TOKEN.sub(lambda m: f"<{m.lastgroup}>", recorded) != TOKEN.sub(
                lambda m: f"<{m.lastgroup}>", ours):
            return False
        return all(self.same_token(one, other)
                   for one, other in zip(TOKEN.finditer(recorded), TOKEN.finditer(ours)))

    def same_token(self, one, other):
        if one.lastgroup == "blob":
            return self.bindings.bind_blob(one[0], other[0])
        if one.lastgroup == "job" and one[0] != other[0]:
            return self.bindings.bind_job(from_f58(one[0]), from_f58(other[0]))
        if one.lastgroup == "version":
            return one[0].split("-")[0] == other[0].split("-")[0]
        if one.lastgroup == "host":
            return one[0] == other[0] or self.placed and hosts_size(one[0]) == hosts_size(other[0])
        return True

    # What a rule may ask for, each called with values of the same type.

    def time(self, recorded, ours, path):
        if type(recorded) is not float or (recorded > 1e9) != (ours > 1e9):
            self.fail(path, recorded, ours)

    def number(self, recorded, ours, path):
        if not isinstance(recorded, (int, float)) or (recorded < 0) != (ours < 0):
            self.fail(path, recorded, ours)

    def positive(self, recorded, ours, path):
        if (int(recorded) > 0) != (int(ours) > 0):
            self.fail(path, recorded, ours)

    def pid(self, recorded, ours, path):
        self.positive(recorded, ours, path)
        self.bindings.pids[recorded] = ours

    def wait_status(self, recorded, ours, path):
        """Of a job that was signalled: whether its shell had tasks yet is chance."""
        def signal(status):
            return status & 127 or max(0, (status >> 8) - 128)
        if recorded != ours and (not signal(recorded) or signal(recorded) != signal(ours)):
            self.fail(path, recorded, ours)

    def any(self, recorded, ours, path):
        """Any value of the same type; text and lists as empty or not as those recorded."""
        if isinstance(recorded, (str, list, dict)) and bool(recorded) != bool(ours):
            self.fail(path, recorded, ours)

    def job(self, recorded, ours, path):
        known = recorded < 1 << 24 and recorded == ours
        if not known and not self.bindings.bind_job(recorded, ours):
            self.fail(path, recorded, ours, " (another job)")

    def user(self, recorded, ours, path):
        if self.bindings.users.get(recorded, recorded) != ours:
            self.fail(path, recorded, ours)

    def user_text(self, recorded, ours, path):
        self.user(int(recorded), int(ours), path)

    def real_text(self, recorded, ours, path):
        if not re.fullmatch(r"\d+\.\d\d", recorded) or not re.fullmatch(r"\d+\.\d\d", ours):
            self.fail(path, recorded, ours)

    def version(self, recorded, ours, path):
        """Of the protocol: the first three numbers."""
        if re.match(r"\d+\.\d+\.\d+", recorded)[0] != re.match(r"[\d.]*", ours)[0]:
            self.fail(path, recorded, ours)

    def log_line(self, recorded, ours, path):
        """As flux logger writes it; the number before the dashes is a process."""
        one, other = (re.sub(r" \d+ - - ", " PID - - ", line) for line in (recorded, ours))
        self.text(one, other, path)

    def hosts(self, recorded, ours, path):
        if hosts_size(recorded) != hosts_size(ours):
            self.fail(path, recorded, ours)

    def ranks(self, recorded, ours, path):
        if idset_size(recorded) != idset_size(ours) or recorded[:1] == "[" != ours[:1] == "[":
            self.fail(path, recorded, ours)

    def route(self, recorded, ours, path):
        """How many hops there are inside a broker is its own affair; each shows eight digits."""
        if not re.fullmatch(r"[0-9a-f]{8}(![0-9a-f]{8})+", ours):
            self.fail(path, recorded, ours)

    def unordered(self, recorded, ours, path):
        """A list whose order means nothing: of texts, or of objects with a name or an id."""
        def key(one):
            if not isinstance(one, dict):
                return str(one)
            name = one.get("name", one.get("namespace", one.get("id")))
            return str(self.bindings.jobs.get(name, name))
        def mine(one):
            return str(one.get("name", one.get("namespace", one.get("id")))
                       if isinstance(one, dict) else one)
        self.array(sorted(recorded, key=key), sorted(ours, key=mine), path)

    def without_online(self, recorded, ours, path):
        """Events of resources; which broker came first, and with whom, is chance."""
        one, other = ([event for event in events if event["name"] not in ("online", "offline")]
                      for events in (recorded, ours))
        self.array(one, other, path)

    def latest(self, recorded, ours, path):
        """A list that grows at its head; how long it has become is chance."""
        if not ours:
            self.fail(path, recorded, ours)
        self.array(recorded[:1], ours[:1], path)

    def base64_text(self, recorded, ours, path):
        """A value of the KVS: base64 of text, of an eventlog, or of anything."""
        try:
            one, other = (base64.b64decode(v).decode() for v in (recorded, ours))
        except ValueError:
            if recorded != ours:
                self.fail(path, recorded, ours)
            return
        self.text(one, other, path)

    def signed(self, recorded, ours, path):
        """J: the header as sent, the jobspec field by field."""
        one, other = self.bindings.signed(recorded).split("."), ours.split(".")
        self.array([one[0], *one[2:]], [other[0], *other[2:]], path)
        self.value(*(json.loads(base64.b64decode(fields[1])) for fields in (one, other)), path)

    def R(self, recorded, ours, path):
        """Another choice among equal nodes and cores is none of a client's business."""
        def shape(r):
            execution = r["execution"]
            lite = execution["R_lite"]
            return {"keys": sorted(r), "execution": sorted(set(execution) - {"nslots"}),
                    "ranks": sum(idset_size(one["rank"]) for one in lite),
                    "cores": sum(idset_size(one["rank"]) * idset_size(one["children"].get("core", ""))
                                 for one in lite),
                    "hosts": sum(hosts_size(h) for h in execution["nodelist"])}
        if isinstance(recorded, str):
            recorded, ours = json.loads(recorded), json.loads(ours)
        if shape(recorded) != shape(ours):
            self.fail(path, recorded, ours)


def compare(recorded, ours, bindings, topic):
    """Raises Difference, naming the first field that differs. An answer to a malformed request may say
    what is wrong with it where the recorded one says nothing."""
    check = Comparison(bindings, topic)
    for field in ("type", "topic", "errnum", "matchtag", "userid", "rolemask", "nodeid"):
        one, other = recorded.get(field), ours.get(field)
        if field == "rolemask" and bindings.answered_elsewhere(topic) and one in (1, 5):
            one, other = 1, other & ~LOCAL
        if field == "nodeid" and check.placed:
            continue
        if field == "topic" and one:
            one = bindings.text(one)
        if field == "userid":
            one = bindings.users.get(one, one)
        if one != other:
            text = ours.get("payload", {}).get("string", "") if ours.get("errnum") else ""
            check.fail(field, one, other, f" {text}".rstrip())
    unasked_text = ours.get("errnum") == errno.EPROTO and "payload" not in recorded
    if set(recorded["flags"]) != set(ours["flags"]) - ({"payload"} if unasked_text else set()):
        check.fail("flags", recorded["flags"], ours["flags"],
                   f" {ours.get('payload', '')} recorded {recorded.get('payload', '')}"[:200])
    if recorded["type"] == "response" and recorded.get("routes") != ours.get("routes"):
        check.fail("routes", recorded.get("routes"), ours.get("routes"))
    if recorded["type"] == "request" and not ours.get("routes"):
        check.fail("routes", recorded.get("routes"), ours.get("routes"))
    if "payload" in recorded:
        check.value(recorded["payload"], ours["payload"], "")
