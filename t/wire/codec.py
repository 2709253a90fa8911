"""Flux messages (RFC 3) as dictionaries with the keys of the transcripts, and back to bytes."""
import base64
import errno
import json
import struct

MAGIC = 0xFFEE0012  # in host order, then the length of what follows, big-endian
TYPES = {"request": 1, "response": 2, "event": 4, "control": 8}
TYPE_NAMES = {number: name for name, number in TYPES.items()}
FLAGS = ("topic", "payload", "noresponse", "route", "upstream", "private", "streaming", "user1")
ANY = 0xFFFFFFFF  # nodeid "any", userid "unknown"


def _part(data):
    head = bytes([len(data)]) if len(data) < 255 else b"\xff" + len(data).to_bytes(4, "big")
    return head + data


def _parts(data):
    found, at = [], 0
    while at < len(data):
        size, at = data[at], at + 1
        if size == 255:
            size, at = int.from_bytes(data[at:at + 4], "big"), at + 4
        if at + size > len(data):
            raise ValueError("a part runs past the end of its message")
        found.append(data[at:at + size])
        at += size
    return found


def payload_bytes(payload):
    if set(payload) <= {"string", "nul"} and isinstance(payload.get("string"), str):
        return payload["string"].encode() + (b"" if payload.get("nul") is False else b"\0")
    if set(payload) == {"base64"}:
        return base64.b64decode(payload["base64"])
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode() + b"\0"


def _payload(data):
    try:
        text = data.removesuffix(b"\0").decode()
        if not all(c.isprintable() or c in "\t\n\r\33" for c in text):
            raise ValueError
    except ValueError:
        return {"base64": base64.b64encode(data).decode()}
    if not data.endswith(b"\0"):
        return {"string": text, "nul": False}
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"string": text}


def encode(message, routes=()):
    """The bytes of `message` on a stream; `routes` are its route ids, latest first."""
    body = b""
    if "route" in message["flags"]:
        body += b"".join(_part(route) for route in routes) + _part(b"")
    if "topic" in message["flags"]:
        body += _part(message["topic"].encode())
    if "payload" in message["flags"]:
        body += _part(payload_bytes(message["payload"]))
    kind = TYPES[message["type"]]
    aux1 = {1: message.get("nodeid"), 2: message.get("errnum"), 4: message.get("seq"),
            8: message.get("control")}[kind]
    aux2 = message.get("status", 0) if kind == 8 else message.get("matchtag", 0)
    flags = sum(1 << FLAGS.index(name) for name in message["flags"])
    userid = ANY if message["userid"] == "unknown" else message["userid"]
    body += _part(struct.pack(">BBBBIIII", 0x8E, 1, kind, flags, userid, message["rolemask"],
                              ANY if aux1 == "any" else aux1, aux2))
    return struct.pack("=I", MAGIC) + len(body).to_bytes(4, "big") + body


def decode(data):
    """The message, and its route ids."""
    *rest, proto = _parts(data)
    magic, version, kind, flags, userid, rolemask, aux1, aux2 = struct.unpack(">BBBBIIII", proto)
    if (magic, version) != (0x8E, 1):
        raise ValueError("bad PROTO part")
    names = [name for bit, name in enumerate(FLAGS) if flags & 1 << bit]
    routes = []
    if "route" in names:
        end = rest.index(b"")
        routes, rest = rest[:end], rest[end + 1:]
    out = {"type": TYPE_NAMES[kind], "flags": names}
    if "topic" in names:
        out["topic"] = rest.pop(0).decode()
    if kind == 1:
        out["nodeid"] = "any" if aux1 == ANY else aux1
    elif kind == 2:
        out["errnum"] = aux1
        if aux1:
            out["errname"] = errno.errorcode.get(aux1, "?")
    elif kind == 4:
        out["seq"] = aux1
    else:
        out.update(control=aux1, status=aux2)
    if kind in (1, 2):
        out["matchtag"] = aux2
    out["userid"] = "unknown" if userid == ANY else userid
    out["rolemask"] = rolemask
    if "route" in names:
        out["routes"] = len(routes)
    if "payload" in names:
        out["payload"] = _payload(rest.pop(0))
    if rest:
        raise ValueError("parts left over")
    return out, routes


class Reader:
    """Bytes from a broker in, messages out."""

    def __init__(self):
        self.pending = bytearray()

    def feed(self, data):
        self.pending += data
        while len(self.pending) >= 8:
            size = int.from_bytes(self.pending[4:8], "big")
            if struct.unpack("=I", self.pending[:4])[0] != MAGIC:
                raise ValueError("bad magic")
            if len(self.pending) < 8 + size:
                return
            yield decode(bytes(self.pending[8:8 + size]))
            del self.pending[:8 + size]
