"""What stood in the recording, and what stands there in this instance: job ids in all their spellings,
users, folders. First sight binds; a second value for the same name is a difference."""
import base64
import json
import os
import re

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
RECORDED_USERS = {1000: "owner", 1001: "guest"}
WORD = re.compile(r"ƒ[1-9A-Za-z]+|[0-9a-f]{4}(?:\.[0-9a-f]{4}){3}|[0-9a-zA-Z]+")


def f58(number):
    text = ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return text or "1"


def from_f58(text):
    number = 0
    for c in text[1:]:
        number = number * 58 + ALPHABET.index(c)
    return number


def spellings(number):
    digits = f"{number:016x}"
    return (str(number), "ƒ" + f58(number), "f" + f58(number),
            ".".join(digits[i:i + 4] for i in range(0, 16, 4)))


class Bindings:
    """`paths` maps recorded folders and URIs to ours; `users` names to user ids."""

    def __init__(self, paths, users):
        self.rank = 0  # of the broker that the present client is connected to
        self.guise = None  # userid and rolemask of clients that only say to be someone else
        self.users = {recorded: users[name] for recorded, name in RECORDED_USERS.items()}
        self.paths = sorted(paths.items(), key=lambda pair: -len(pair[0]))
        self.jobs, self.words, self.leaders, self.blobs, self.pids = {}, {}, {}, {}, {}

    def bind_job(self, recorded, ours):
        """False when either is known by another number."""
        if recorded in self.jobs or ours in self.jobs.values():
            return self.jobs.get(recorded) == ours
        self.jobs[recorded] = ours
        self.words.update(zip(spellings(recorded), spellings(ours)))
        return True

    def bind_blob(self, recorded, ours):
        return self.blobs.setdefault(recorded, ours) == ours

    def answered_elsewhere(self, topic):
        """A shell serves wherever its job was put; KVS and ingest have one place, rank 0."""
        return "-shell-" in topic or self.rank and topic.startswith(("kvs", "job-in", "content"))

    def forget_blobs(self):
        self.blobs.clear()

    def text(self, recorded):
        """A recorded text as it would read here."""
        for path, ours in self.paths:
            recorded = recorded.replace(path, ours)
        for user, ours in self.users.items():
            recorded = re.sub(rf"\b{user}-", f"{ours}-", recorded)
        return WORD.sub(lambda m: self.words.get(m[0], m[0]), recorded)

    def value(self, recorded, key=""):
        """A recorded value as this instance's client would send it."""
        if isinstance(recorded, dict):
            return {self.text(k): self.value(v, k) for k, v in recorded.items()}
        if isinstance(recorded, list):
            return [self.value(v, key) for v in recorded]
        if isinstance(recorded, bool):
            return recorded
        if isinstance(recorded, int):
            if key in ("userid", "owner"):
                return self.users.get(recorded, recorded)
            if key == "pid":
                return self.pids.get(recorded, recorded)
            return self.jobs.get(recorded, recorded)
        if not isinstance(recorded, str):
            return recorded
        if key == "J":
            return self.signed(recorded)
        if key == "data" and len(recorded) > 8:
            return self.encoded(recorded)
        return self.text(recorded)

    def signed(self, recorded):
        """J: header.jobspec.none, the first two in base64."""
        fields = recorded.split(".")
        if len(fields) != 3:
            return recorded
        header, jobspec = (base64.b64decode(field) for field in fields[:2])
        for user, ours in self.users.items():
            header = header.replace(b"userid\0i%d\0" % user, b"userid\0i%d\0" % ours)
        try:
            jobspec = json.dumps(self.value(json.loads(jobspec))).encode()
        except ValueError:
            pass
        return ".".join([base64.b64encode(header).decode(), base64.b64encode(jobspec).decode(),
                         fields[2]])

    def encoded(self, recorded):
        try:
            text = base64.b64decode(recorded, validate=True).decode()
        except ValueError:
            return self.text(recorded)
        return base64.b64encode(self.text(text).encode()).decode()

    def request(self, recorded, conn_key=None):
        """A recorded request or event as a client of this instance sends it."""
        message = dict(recorded)
        if "topic" in message:
            message["topic"] = self.text(message["topic"])
            service = message["topic"].rsplit(".", 1)[0]
            leader = next((r for s, r in self.leaders.items() if (service + ".").startswith(s + ".")),
                          None)
            if leader is not None and message.get("nodeid") not in (None, "any"):
                message["nodeid"] = leader
        if self.guise and message["userid"] == "unknown":
            message["userid"], message["rolemask"] = self.guise
        elif isinstance(message["userid"], int):
            message["userid"] = self.users.get(message["userid"], message["userid"])
        if "payload" in message:
            payload = message["payload"]
            if set(payload) == {"base64"}:
                message["payload"] = {"base64": self.raw(payload["base64"])}
            else:
                message["payload"] = self.value(payload)
        return message

    def raw(self, recorded):
        """Raw bytes: a blob's hash is replaced by that of the blob seen here."""
        digest = base64.b64decode(recorded).hex()
        ours = self.blobs.get(f"sha1-{digest}")
        return base64.b64encode(bytes.fromhex(ours[5:])).decode() if ours else recorded


def users_here():
    """The user ids that play owner and guest: another user can be played only by root."""
    return {"owner": os.getuid(), "guest": 1001 if os.getuid() != 1001 else 1002}
