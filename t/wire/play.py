"""Play the client side of one transcript against a broker and compare what comes back."""
import base64
import collections
import errno
import json
import selectors
import time

import codec
from compare import Difference, compare
from lanes import JOB_INPUT, QUIET_EVENTS, job_was_over, lane, traced_heartbeat

PATIENCE = 2.5  # seconds, beyond the time that the recorded broker took
LATE_INPUT = 0.3  # seconds that an answer to a job's input is waited for when all else has come
LINGER_TAG = 0xFFFFF0  # of the ping that ends a connection: what came before it was said unasked


class Failed(Exception):
    pass


def load(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines]


def merged(sent, received):
    """One exchange of two dumps, each of one direction: every request waits for its response."""
    def at(time, record):
        return {"t": time, "conn": 1, **record}
    yield at(0, {"dir": ">", "type": "open"})
    received = iter(received)
    yield at(0, next(received))
    for request in sent:
        yield at(0, request)
        if "noresponse" not in request["flags"]:
            yield at(0, next(received))
    yield at(0, {"dir": ">", "type": "close"})


def asked(request):
    """The topic, and of attr.get also the name: what `rules.py` knows a request by."""
    topic = request.get("topic", "")
    return f"{topic}/{request.get('payload', {}).get('name')}" if topic == "attr.get" else topic


class Connection:
    def __init__(self, number, rank, connected):
        self.rank = rank  # of the broker
        self.number, self.reader, self.expected = number, codec.Reader(), collections.deque()
        self.topics, self.routes, self.ended, self.refused = {}, {}, False, False
        self.socket = connected

    def handshake(self):
        byte = self.socket.recv(1)
        if not byte:
            raise Failed("the broker closed instead of greeting")
        return byte[0]

    def close(self):
        self.socket.close()


class Player:
    def __init__(self, records, connect, bindings, excused=()):
        """`connect` gives the rank of the broker whose recorded socket had that name ("at", "" where
        only one was recorded), and a socket connected to it. Answers to the topics `excused` may
        differ; `differed` holds those that did."""
        self.excused, self.differed = set(excused), {}
        self.records, self.connect, self.bindings = records, connect, bindings
        self.connections, self.selector = {}, selectors.DefaultSelector()
        self.position = 0

    def play(self):
        self.bindings.forget_blobs()
        try:
            for self.position, record in enumerate(self.records):
                self.step(record)
        except Difference as error:
            raise Failed(str(error)) from None
        finally:
            for connection in self.connections.values():
                connection.close()
            self.selector.close()

    def step(self, record):
        kind = record["type"]
        if kind in ("start", "end"):
            return
        if kind == "open":
            return self.open(record)
        connection = self.connections[record["conn"]]
        if kind == "handshake":
            if (byte := connection.handshake()) != record["errnum"]:
                raise Failed(f"handshake byte {byte}, recorded {record['errnum']}")
            connection.refused = byte != 0
            connection.socket.setblocking(False)
            self.selector.register(connection.socket, selectors.EVENT_READ, connection)
        elif kind == "close":
            self.close(connection, record)
        elif record["dir"] == ">":
            self.settle(record["t"])
            self.send(connection, record)

    def open(self, record):
        number = record["conn"]
        try:
            connection = Connection(number, *self.connect(record.get("at", "")))
        except ConnectionError as error:
            raise Failed(f"no connection: {error}") from None
        self.connections[number] = connection
        for index, other in enumerate(self.records):
            if other.get("conn") == number and other.get("dir") == "<" and "flags" in other \
                    and not traced_heartbeat(other):
                connection.expected.append((index, other))

    def send(self, connection, record):
        if record["type"] == "garbage":
            connection.socket.sendall(base64.b64decode(record["base64"]))
            return
        message = self.bindings.request(record)
        routes = ()
        if record["type"] == "response":
            routes = connection.routes.get((record["topic"], record["matchtag"]), ())
        elif record.get("routes"):
            routes = tuple(b"client%d" % i for i in range(record["routes"]))
        if record["type"] == "request" and "noresponse" not in record["flags"]:
            connection.topics[record["matchtag"]] = asked(record)
        connection.socket.setblocking(True)
        connection.socket.sendall(codec.encode(message, routes))
        connection.socket.setblocking(False)

    def due(self):
        """Messages that the recorded client had when it did the present step."""
        return [record for connection in self.connections.values()
                for index, record in connection.expected if index < self.position]

    def settle(self, recorded_time):
        """Wait until everything has come that the recorded client had at this step."""
        deadline = time.monotonic() + PATIENCE
        due = self.due()
        if due:
            before = max((r["t"] for r in self.records[:self.position] if r.get("dir") == ">"),
                         default=0)
            deadline += max(0, max(r["t"] for r in due) - before)
        while due := self.due():
            late = all(JOB_INPUT.search(r.get("topic", "")) and "payload" not in r for r in due)
            left = min(deadline, time.monotonic() + LATE_INPUT) - time.monotonic() if late else \
                deadline - time.monotonic()
            if late and not self.receive(left):
                return self.forget(due)  # the job has ended, and its shell with it
            if left <= 0:
                raise Failed("no answer: " + self.describe(due[0]))
            if not late:
                self.receive(left)

    def forget(self, records):
        for connection in self.connections.values():
            connection.expected = collections.deque(
                item for item in connection.expected if not any(item[1] is r for r in records))

    def describe(self, record):
        shown = {k: record[k] for k in ("conn", "type", "topic", "matchtag", "errnum", "payload")
                 if k in record}
        return json.dumps(shown, ensure_ascii=False)[:400]

    def receive(self, timeout):
        """Take what comes within `timeout` seconds; False when nothing does."""
        ready = self.selector.select(timeout)
        for key, _ in ready:
            connection = key.data
            try:
                data = connection.socket.recv(1 << 20)
            except ConnectionError:
                data = b""
            if not data:
                self.selector.unregister(connection.socket)
                connection.ended = True
                if connection.expected:
                    raise Failed("closed by the broker before: "
                                 + self.describe(connection.expected[0][1]))
                continue
            for message, routes in connection.reader.feed(data):
                self.take(connection, message, routes)
        return bool(ready)

    def take(self, connection, message, routes):
        if message.get("matchtag") == LINGER_TAG:
            connection.topics[LINGER_TAG] = None
            return
        self.forget_crossed(connection, message)
        place = lane(message)
        found = self.find(connection, place)
        if found is None and job_was_over({"errnum": 0}, message):
            return
        if found is None or found[1].get("errnum") == errno.ENODATA and not message.get("errnum"):
            if message.get("topic") in QUIET_EVENTS or traced_heartbeat(message) or \
                    self.left_open(connection, message):
                return
            raise Failed("not in the recording: " + self.describe(message))
        recorded = self.before(connection, found, place, message) or found[1]
        if recorded.get("topic") == "job-list.list" and "streaming" in message["flags"] and \
                all("jobs" in one.get("payload", {}) for one in (recorded, message)):
            recorded, message = self.without_version(connection, recorded, message)
        topic = connection.topics.get(message.get("matchtag"), message.get("topic", "")) \
            if message["type"] == "response" else message.get("topic", "")
        try:
            self.bindings.rank = connection.rank
            if not job_was_over(recorded, message):
                compare(recorded, message, self.bindings, topic or message.get("topic", ""))
        except Difference as difference:
            if message.get("topic") not in self.excused:
                raise
            self.differed[message["topic"]] = str(difference)
        connection.expected.remove(found)
        if message.get("errnum"):
            connection.routes.pop(("listed", message["matchtag"]), None)
        if message["type"] == "request":
            connection.routes[message["topic"], message["matchtag"]] = routes
        self.learn(message)

    def find(self, connection, place):
        """The first message expected in a lane; jobs not bound yet share one."""
        def first(wanted):
            return next((item for item in connection.expected
                         if lane(item[1], self.bindings) == wanted), None)
        found = first(place)
        if found is None and place[2:3] == ("job",):
            found = first(place[:3] + (None,))
        return found

    def before(self, connection, found, place, message):
        """What should have come before an end, or before what follows the jobs of a list."""
        for index, recorded in connection.expected:
            other = lane(recorded, self.bindings)
            if index < found[0] and other[:2] == place[:2] and other != place and \
                    (message.get("errnum") or place == place[:2] and other[2] == "job"):
                return recorded
        return None

    def without_version(self, connection, recorded, message):
        """The first response of a list has the key "version", whichever job it tells of."""
        key = ("listed", message["matchtag"])
        if ("version" in message["payload"]) != (key not in connection.routes):
            raise Failed("version belongs into the first response of a list, and only there")
        connection.routes[key] = True
        return tuple({**one, "payload": {k: v for k, v in one["payload"].items() if k != "version"}}
                     for one in (recorded, message))

    def cancel_of(self, connection, tag):
        """Index of the record that cancels a stream."""
        return next((index for index, r in enumerate(self.records)
                     if r.get("conn") == connection.number and r.get("dir") == ">"
                     and "cancel" in r.get("topic", "") and r["payload"].get("matchtag") == tag),
                    None)

    def forget_crossed(self, connection, message):
        """What crossed the cancel of a stream need not come here."""
        if message.get("errnum") != errno.ENODATA:
            return
        cancel = self.cancel_of(connection, message["matchtag"])
        if cancel is not None and cancel < self.position:
            self.forget([r for index, r in connection.expected
                         if index > cancel and r["type"] == "response" and not r["errnum"]
                         and r["matchtag"] == message["matchtag"]])

    def left_open(self, connection, message):
        """A stream that the recorded client cancelled or left may go on meanwhile, or end."""
        def same_stream(record):
            return record.get("conn") == connection.number and record["type"] == "response" and \
                record["matchtag"] == message["matchtag"]
        if message["type"] != "response" or "streaming" not in message["flags"]:
            return False
        expected = [r for _, r in connection.expected if same_stream(r)]
        cancelled = self.cancel_of(connection, message["matchtag"]) is not None
        if cancelled and len(expected) == 1 and expected[0]["errnum"] == errno.ENODATA:
            return True
        return not expected and not any(same_stream(r) and r["errnum"] for r in self.records)

    def learn(self, message):
        """On which rank a job's first shell serves."""
        event = message.get("payload", {}).get("event")
        if isinstance(event, str) and '"shell.init"' in event:
            context = json.loads(event)["context"]
            self.bindings.leaders[context["service"]] = context["leader-rank"]

    def close(self, connection, record):
        self.settle(record["t"])
        if record["dir"] == "<":
            deadline = time.monotonic() + PATIENCE
            while not connection.ended and time.monotonic() < deadline:
                self.receive(deadline - time.monotonic())
            if not connection.ended:
                raise Failed("the broker did not close")
            return
        if connection.ended:
            raise Failed("closed by the broker")
        if not connection.refused and not self.shuts_down():
            self.linger(connection)
        self.selector.unregister(connection.socket)
        connection.close()
        connection.expected.clear()

    def shuts_down(self):
        return any(record.get("topic") == "shutdown.start" for record in self.records)

    def linger(self, connection):
        """A last ping: whatever the broker says before it answers is compared too."""
        ping = {"type": "request", "flags": ["topic", "payload", "route"], "topic": "broker.ping",
                "nodeid": "any", "matchtag": LINGER_TAG, "userid": "unknown", "rolemask": 0,
                "payload": {"seq": 0}}
        connection.socket.setblocking(True)
        connection.socket.sendall(codec.encode(ping))
        connection.socket.setblocking(False)
        deadline = time.monotonic() + PATIENCE
        while LINGER_TAG not in connection.topics:
            if time.monotonic() > deadline or connection.ended:
                raise Failed("no answer to a last ping")
            self.receive(deadline - time.monotonic())
