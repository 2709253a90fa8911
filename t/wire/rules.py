"""Which values of an answer may differ from those recorded, and how far."""
import functools
import re

# (topic, path, kind): regular expressions for the whole topic and the whole path; the first row that
# fits counts. A path is the keys down from the payload, joined with dots; [] stands for an element of a list;
# the JSON inside a string goes on with its own keys. The kinds are methods of compare.Comparison, or
# "skip": not compared at all.
RULES = [
    (r"job-ingest\.getinfo", r"timestamp", "number"),
    (r"job-ingest\.stats-get", r"pipeline\.validator\.(running|pids\[\])", "number"),  # we have none
    (r".*", r"(.*[.\]])?(timestamp|t_(submit|depend|priority|sched|run|cleanup|inactive)|ctime|lastrun|"
            r"next_wakeup|create_time|running_time|end_time)", "time"),
    (r".*", r"(.*\.)?(starttime|expiration)", "number"),
    (r"(state-machine|overlay)\..*", r".*duration", "number"),
    (r".*", r"(.*\.)?pid", "pid"),
    (r".*\.ping", r"route", "route"),
    (r"job-.*", r"(.*\.)?R", "R"),
    (r"job-.*", r"(.*\.)?(max_jobid|id)", "job"),
    (r"job-manager\.history\.get", r"jobs\[\]", "job"),
    (r"job-.*", r"(.*\.)?context\.(file|line|detail)", "skip"),
    (r"job-info\..*", r"(.*\.)?context\.active_ranks", "skip"),  # which shell ends last is chance
    (r".*\.trace", r"payload\.cmd\.env", "skip"),
    (r"job-.*", r"(.*\.)?(context\.status|waitstatus)", "wait_status"),
    (r"job-.*", r"(.*\.)?annotations\.sched", "any"),
    (r"event\.publish", r"seq", "positive"),
    (r"resource\.topo-get", r"string", "any"),
    (r"resource\.journal", r"events", "without_online"),
    (r"attr\.get/conf\.shell_.*", r"value", "skip"),
    (r"job-list\..*", r"(.*\.)?nodelist", "hosts"),
    (r"job-list\..*", r"(.*\.)?ranks", "ranks"),
    (r"job-info\..*", r"(.*\.)?(leader-rank)", "number"),
    (r"job-info\..*", r"(.*)context\.(rank|localid)", "skip"),
    (r".*-shell-.*\.proctable", r"hosts|executables|pids|ranks|ids", "any"),
    (r".*-shell-.*\.terminus\..*", r"data", "any"),  # cut into pieces by chance
    (r".*", r"(.*\.)?(userid|owner)", "user"),
    (r"job-info\.lookup", r"J\..*\.(environment|rlimit)", "skip"),
    (r".*", r"(.*\.)?J", "signed"),
    (r"attr\.get/security\.owner", r"value", "user_text"),
    (r"attr\.get/version", r"value", "version"),
    (r"attr\.get/broker\.starttime", r"value", "real_text"),
    (r"attr\.get/(broker\.(pid|uuid)|tbon\.endpoint|statedir)", r"value", "any"),
    (r"attr\.list", r"names", "unordered"),
    (r"kvs\.namespace-list", r"namespaces", "unordered"),
    (r".*\.trace", r"payload_size", "number"),
    (r"module\.list", r"mods", "unordered"),
    (r"module\.list", r"mods\[\]\.(path|idle|sendqueue|recvqueue)", "any"),
    (r"module\.list", r"mods\[\]\.services", "unordered"),
    (r"kvs.*", r"(.*\.)?val\.data", "base64_text"),
    (r"kvs.*", r"(.*\.)?rootseq", "positive"),
    (r"kvs\.stats-get", r"(cache|namespace|transaction-opcount)\..*|pending_requests", "number"),
    (r"content\.stats-get", r".*", "number"),
    (r"content.*\.checkpoint-get", r"value", "latest"),
    (r"content.*\.checkpoint-get", r"value\[\]\.sequence", "positive"),
    (r".*\.stats-get", r".*\.(request|response|event|control|count|events|listeners)", "number"),
    (r".*\.rusage", r".+", "number"),
    (r"log\.dmesg", r"string", "log_line"),
    (r"broker\.conf-builtin", r"values\.shell_.*", "skip"),
    (r".*-shell-.*", r"io\.rank", "skip"),
]

# Answers about jobs name the hosts that a job was placed on; any host will do.
PLACED = re.compile(r"job-.*|.*-shell-.*|kvs.*|resource\.sched-status")

COMPILED = [(re.compile(topic), re.compile(path), kind) for topic, path, kind in RULES]


@functools.cache
def rule_for(topic, path):
    path = path.lstrip(".")
    return next((kind for in_topic, in_path, kind in COMPILED
                 if in_topic.fullmatch(topic) and in_path.fullmatch(path)), None)
