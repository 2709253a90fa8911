"""Which of the messages of a connection keep their order."""
import errno
import json
import re

JOB_INPUT = re.compile(r"-shell-f\w+\.(stdin|terminus\.\d+)$")
QUIET_EVENTS = ("heartbeat.pulse",)  # a subscriber may see more of these than the recording did


def lane(message, bindings=None):
    """Messages of one lane keep their order; those of others may overtake each other. With `bindings`
    the message is a recorded one."""
    kind = message["type"]
    if kind == "event":
        return ("event",)
    if kind == "request":
        return ("request", message["topic"], message["matchtag"])
    tag = ("response", message["matchtag"])
    payload = message.get("payload", {})
    job = payload["jobs"][0] if isinstance(payload.get("jobs"), list) and payload["jobs"] else \
        payload if "events" in payload else {}
    if isinstance(job, dict) and job.get("id", -1) != -1:
        # Which of several jobs ended last is chance; bound ids tell which one is meant.
        ours = bindings.jobs.get(job["id"]) if bindings else job["id"]
        return tag + ("job", ours)
    if payload.get("type") == "output" and "io" in payload:
        return tag + ("io", payload["io"]["stream"])
    if payload.get("type") in ("add-credit", "finished"):
        return tag + (payload["type"],)
    if message.get("topic", "").endswith(".trace"):
        traced = (payload.get("payload") or {}).get("type")
        return tag + tuple(payload.get(key) for key in ("prefix", "topic", "type")) + (traced,)
    if "event" in payload and isinstance(payload["event"], str):
        event = json.loads(payload["event"])
        if event["name"] == "data":
            return tag + ("data", event["context"]["stream"], event["context"]["rank"])
        if event["name"] in ("memo", "log", "redirect", "exception"):
            return tag + (event["name"],)
    return tag


def job_was_over(recorded, message):
    """A job may end before its input does: the recorded `flux job attach` ignores that, too."""
    return JOB_INPUT.search(message.get("topic", "")) and message.get("errnum") == errno.ENOSYS \
        and recorded.get("errnum") in (0, errno.ENOSYS) and "streaming" not in message["flags"]


def traced_heartbeat(message):
    """Which of our services listen to the heartbeat is our own affair."""
    return message.get("topic", "").endswith(".trace") and \
        message.get("payload", {}).get("topic") in QUIET_EVENTS
