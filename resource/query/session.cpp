#include "resource/query/session.hpp"

#include <charconv>

namespace sluice {
namespace {

constexpr std::string_view rule = "INFO: =============================\n";

std::int64_t number_of(std::string_view text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

}  // namespace

std::span<const QuerySession::Command> QuerySession::commands() {
    static constexpr Command all[] = {
        {"match", "m", 3, 3, &QuerySession::match,
         "Allocate or reserve what a jobspec asks for (allocate | allocate_with_satisfiability | "
         "allocate_orelse_reserve | satisfiability | without_allocating | "
         "without_allocating_future): "
         "match allocate JOBSPEC"},
        {"multi-match", "M", 4, SIZE_MAX, &QuerySession::multi_match,
         "The same for several jobspecs, up to the first that fails: "
         "multi-match allocate JOBSPEC..."},
        {"update", "u", 7, 7, &QuerySession::update,
         "Take over what a job has (allocate | reserve; jgf | jgf_shorthand | rv1exec): "
         "update allocate jgf FILE JOBID START DURATION"},
        {"attach", "j", 2, 2, &QuerySession::attach, "Add a JGF subgraph: attach FILE"},
        {"remove", "j", 3, 3, &QuerySession::remove,
         "Remove the subgraph at a path (true) or of ranks (false): remove PATH|RANKS true|false"},
        {"find", "f", 2, SIZE_MAX, &QuerySession::find,
         "Find what matches (status={up|down} sched-now={allocated|free} "
         "sched-future={reserved|free} agfilter={true|false} names=HOSTLIST "
         "jobid-{alloc|span|tag|reserved}=JOBID property=NAME): "
         "find status=down and names=node[0-3]"},
        {"cancel", "c", 2, 3, &QuerySession::cancel,
         "Cancel an allocation or reservation: cancel JOBID [stats]"},
        {"partial-cancel", "pc", 4, 5, &QuerySession::partial_cancel,
         "Give back a part of an allocation: partial-cancel JOBID jgf|rv1exec FILE [stats]"},
        {"set-property", "p", 3, 3, &QuerySession::set_property,
         "Add a property to a resource: set-property PATH PROPERTY=VALUE"},
        {"get-property", "g", 2, 2, &QuerySession::get_property,
         "Print the properties of a resource: get-property PATH"},
        {"set-status", "t", 3, 3, &QuerySession::set_status,
         "Mark a resource up or down: set-status PATH up|down"},
        {"get-status", "e", 2, 2, &QuerySession::get_status,
         "Print whether a resource is up: get-status PATH"},
        {"list", "l", 1, SIZE_MAX, &QuerySession::list, "List all jobs: list"},
        {"info", "i", 2, 2, &QuerySession::info, "Print a job: info JOBID"},
        {"stat", "s", 1, 1, &QuerySession::stat, "Print how long matches took: stat"},
        {"cat", "a", 2, SIZE_MAX, &QuerySession::cat, "Print a jobspec: cat JOBSPEC"},
        {"help", "h", 1, SIZE_MAX, &QuerySession::help, "Print this: help [COMMAND]"},
        {"quit", "q", 1, SIZE_MAX, &QuerySession::quit, "End the session: quit"},
    };
    return all;
}

QuerySession::QuerySession(std::unique_ptr<GraphScheduler> scheduler, Options options,
                           Effects effects)
    : scheduler_(std::move(scheduler)), options_(options), effects_(std::move(effects)) {}

QuerySession::Reply QuerySession::execute(std::string_view line) {
    Reply reply;
    Words words;
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t end = std::min(line.find_first_of(" \t\r\n", at), line.size());
        if (end > at) words.emplace_back(line.substr(at, end - at));
        at = end + 1;
    }
    if (words.empty() || words[0].starts_with('#')) return reply;  // a comment
    for (const Command& command : commands()) {
        if (words[0] != command.name && words[0] != command.abbreviation) continue;
        if (words.size() < command.words_min || words.size() > command.words_max)
            reply.err = "ERROR: malformed command\n";
        else
            (this->*command.run)(words, reply);
        return reply;
    }
    reply.err = fmt::format("ERROR: unknown command: {}; try help\n", words[0]);
    return reply;
}

Result<std::string> QuerySession::read(const std::string& path) {
    auto text = effects_.read_file(path);
    if (!text) return fail(text.error().errnum(), "can't open {}", path);
    return text;
}

void QuerySession::say_visits(double elapsed, std::string& to) const {
    to += fmt::format("INFO: ELAPSE={:.6f}\nINFO: PREORDER VISIT COUNT={}\n"
                      "INFO: POSTORDER VISIT COUNT={}\n",
                      elapsed, scheduler_->preorder(), scheduler_->postorder());
}

void QuerySession::say_satisfiable(bool satisfiable, double elapsed, Reply& reply) const {
    reply.results += fmt::format("{}INFO: {} request\n{}", rule,
                                 satisfiable ? "Satisfiable" : "Unsatisfiable", rule);
    if (options_.elapsed) say_visits(elapsed, reply.out);
}

void QuerySession::say_scheduled(JobKey job, std::string_view mode, std::int64_t at,
                                 double elapsed, Reply& reply) const {
    reply.results += fmt::format("{}INFO: JOBID={}\nINFO: RESOURCES={}\nINFO: SCHEDULED AT={}\n",
                                 rule, job, mode, at == 0 ? "Now" : std::to_string(at));
    if (options_.elapsed) say_visits(elapsed, reply.out);
    reply.results += rule;
}

void QuerySession::say_unmatched(JobKey job, bool possible, double elapsed, Reply& reply) const {
    reply.results += fmt::format("{}INFO: No matching resources found\n", rule);
    if (!possible) reply.results += "INFO: Unsatisfiable request\n";
    reply.results += fmt::format("INFO: JOBID={}\n", job);
    if (options_.elapsed) say_visits(elapsed, reply.out);
    reply.results += rule;
}

void QuerySession::count_time(double elapsed) {
    least_ = std::min(least_, elapsed);
    most_ = std::max(most_, elapsed);
    all_ += elapsed;
}

bool QuerySession::match_one(MatchOp op, const std::string& path, Reply& reply) {
    const JobKey job = next_job_;
    const auto text = read(path);
    if (!text) {
        reply.err += fmt::format("ERROR: {}\n", text.error().text());
        return true;
    }
    const double start = effects_.seconds();
    const auto json = effects_.parse_jobspec(*text);
    const auto request = json ? JobRequest::from_json(*json) : Result<JobRequest>(json.error());
    if (!request)
        reply.err += fmt::format("match_allocate: ERROR: Jobspec error for {}: {}\n", job,
                                 request.error().text());
    Result<MatchAnswer> answer = request ? scheduler_->match(*request, op, job) : request.error();
    const double elapsed = effects_.seconds() - start;
    if (request && !answer)
        reply.err += fmt::format("match_allocate: ERROR: {}\n", answer.error().text());
    if (answer && !answer->message.empty())
        reply.err += fmt::format("match_allocate: ERROR: {}\n", answer->message);
    const bool matched = answer && answer->kind == MatchAnswer::Kind::matched;
    const bool possible = !answer || answer->kind != MatchAnswer::Kind::unsatisfiable;
    if (op == MatchOp::satisfiability) {
        say_satisfiable(possible, elapsed, reply);
        return matched;
    }
    const bool dry =
        op == MatchOp::without_allocating || op == MatchOp::without_allocating_future;
    if (answer && !dry) ++next_job_;
    if (!matched) {
        say_unmatched(job, possible, elapsed, reply);
        return false;
    }
    reply.results += write_placement(scheduler_->graph(), answer->placement, options_.format);
    count_time(elapsed);
    const State state = answer->at == 0 ? State::allocated : State::reserved;
    if (!dry) jobs_[job] = {state, answer->at, path, elapsed};
    say_scheduled(job, dry ? "MATCHED" : answer->at == 0 ? "ALLOCATED" : "RESERVED", answer->at,
                  elapsed, reply);
    return true;
}

void QuerySession::match(const Words& words, Reply& reply) {
    const auto op = parse_match_op(words[1]);
    if (!op)
        reply.err += fmt::format("ERROR: {}\n", op.error().text());
    else
        match_one(*op, words[2], reply);
}

void QuerySession::multi_match(const Words& words, Reply& reply) {
    const auto op = parse_match_op(words[1]);
    if (!op) {
        reply.err += fmt::format("ERROR: {}\n", op.error().text());
        return;
    }
    for (std::size_t i = 2; i < words.size(); ++i)
        if (!match_one(*op, words[i], reply)) return;
}

bool QuerySession::active(JobKey job) const {
    const auto found = jobs_.find(job);
    return found != jobs_.end() && found->second.state != State::canceled;
}

void QuerySession::update(const Words& words, Reply& reply) {
    const auto complain = [&](std::string_view text) {
        reply.err += fmt::format("ERROR: {}\n", text);
    };
    if (words[1] != "allocate" && words[1] != "reserve")
        return complain("unknown subcmd " + words[1]);
    const auto format = parse_graph_format(words[2]);
    if (!format || *format == GraphFormat::grug || *format == GraphFormat::hwloc)
        return complain("unsupported reader " + words[2]);
    const auto text = read(words[3]);
    if (!text) return complain(text.error().text());
    const JobKey job = number_of(words[4]);
    const std::int64_t at = number_of(words[5]), duration = number_of(words[6]);
    if (active(job)) return complain("existing Jobid ");
    if (at < 0 || duration <= 0)
        return complain(fmt::format("invalid time ({}, {})", at, duration));
    const double start = effects_.seconds();
    const auto placement =
        scheduler_->update(job, *format, *text, at, duration, words[1] == "reserve");
    const double elapsed = effects_.seconds() - start;
    next_job_ = job + 1;
    count_time(elapsed);
    if (!placement) {
        reply.err += fmt::format("ERROR: traverser run () returned error \nERROR: {}\n",
                                 placement.error().text());
        return say_unmatched(job, true, elapsed, reply);
    }
    reply.results += write_placement(scheduler_->graph(), *placement, options_.format);
    jobs_[job] = {at == 0 ? State::allocated : State::reserved, at, words[3], elapsed};
    say_scheduled(job, at == 0 ? "ALLOCATED" : "RESERVED", at, elapsed, reply);
}

void QuerySession::cancel(const Words& words, Reply& reply) {
    const JobKey job = number_of(words[1]);
    if (!active(job)) {
        reply.err += fmt::format("cancel: ERROR: nonexistent job {}\n", job);
        return;
    }
    if (const auto done = scheduler_->cancel(job); !done) {
        reply.err += fmt::format("cancel: ERROR: error encountered while removing job {}: {}\n",
                                 job, done.error().text());
        return;
    }
    jobs_[job].state = State::canceled;
    if (words.size() == 3 && words[2] == "stats")
        reply.results += fmt::format("{}INFO: CANCEL PREORDER COUNT=\"{}\"\n"
                                     "INFO: CANCEL POSTORDER COUNT=\"{}\"\n{}",
                                     rule, scheduler_->preorder(), scheduler_->postorder(), rule);
}

void QuerySession::partial_cancel(const Words& words, Reply& reply) {
    const auto complain = [&](std::string_view text) {
        reply.err += fmt::format("ERROR: {}\n", text);
    };
    const JobKey job = number_of(words[1]);
    const auto format = parse_graph_format(words[2]);
    if (!format || (*format != GraphFormat::jgf && *format != GraphFormat::rv1exec))
        return complain("unsupported reader " + words[2]);
    const auto text = read(words[3]);
    if (!text) return complain(text.error().text());
    if (!active(job)) return complain(fmt::format("nonexistent job {}", job));
    if (jobs_.at(job).state == State::reserved)
        return complain("reservations not currently supported by partial cancel");
    const auto full = scheduler_->cancel_part(job, *format, *text);
    if (!full) {
        reply.out += full.error().text() + "\n";
        complain(fmt::format("error encountered while removing job {}", job));
    } else if (*full) {
        jobs_.at(job).state = State::canceled;
    }
    if (words.size() == 5 && words[4] == "stats")
        reply.results += fmt::format("{}INFO: PARTIAL CANCEL PREORDER COUNT=\"{}\"\n"
                                     "INFO: PARTIAL CANCEL POSTORDER COUNT=\"{}\"\n{}",
                                     rule, scheduler_->preorder(), scheduler_->postorder(), rule);
}

}  // namespace sluice
