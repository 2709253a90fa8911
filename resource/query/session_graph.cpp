// The session's commands that look at the graph or change it, and those that tell of the session.
#include "base/rfc/idset.hpp"
#include "resource/query/session.hpp"

namespace sluice {

void QuerySession::attach(const Words& words, Reply& reply) {
    const auto text = read(words[1]);
    if (!text) {
        reply.err += fmt::format("ERROR: {}\n", text.error().text());
        return;
    }
    if (const auto done = scheduler_->attach(*text); !done)
        reply.err += fmt::format("ERROR: can't attach JGF subgraph \nERROR: {}\n",
                                 done.error().text());
}

void QuerySession::remove(const Words& words, Reply& reply) {
    Result<void> done;
    if (words[2] == "true") {
        done = scheduler_->remove_path(words[1]);
    } else if (words[2] == "false") {
        const auto ranks = Idset::parse(words[1]);
        if (!ranks) {
            reply.err += fmt::format("ERROR: failed to decode ranks: {}\n", ranks.error().text());
            return;
        }
        done = scheduler_->remove_ranks(*ranks);
    } else {
        reply.err += "ERROR: invalid path boolean input \n";
        return;
    }
    if (!done)
        reply.err += fmt::format("ERROR: can't remove subgraph \nERROR: {}\n", done.error().text());
}

void QuerySession::find(const Words& words, Reply& reply) {
    std::string criteria = words[1];
    for (std::size_t i = 2; i < words.size(); ++i) criteria += " " + words[i];
    const auto found = scheduler_->find(criteria);
    if (!found) {
        reply.err += fmt::format("find: ERROR: {}\n", found.error().text());
        return;
    }
    reply.results += write_placement(scheduler_->graph(), *found, options_.format);
    reply.results += fmt::format("INFO: =============================\nINFO: EXPRESSION=\"{}\"\n"
                                 "INFO: =============================\n",
                                 criteria);
}

void QuerySession::set_property(const Words& words, Reply& reply) {
    const auto equals = words[2].find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == words[2].size()) {
        reply.results += "Incorrect input format. \n"
                         "Please use `set-property <resource> PROPERTY=VALUE`.\n";
        return;
    }
    if (!scheduler_->set_property(words[1], words[2].substr(0, equals),
                                  words[2].substr(equals + 1)))
        reply.results += fmt::format("Couldn't find path {} in resource graph.\n", words[1]);
}

void QuerySession::get_property(const Words& words, Reply& reply) {
    const TypedGraph& graph = scheduler_->graph();
    if (graph.at_path(words[1]).empty())
        reply.results += fmt::format("Could not find path {} in resource graph.\n", words[1]);
    for (const VertexId vertex : graph.at_path(words[1])) {
        if (graph[vertex].properties.empty())
            reply.results += fmt::format("No properties were found for {} (vtx's uniq_id={}).\n",
                                         words[1], graph[vertex].uniq_id);
        for (const auto& [key, value] : graph[vertex].properties)
            reply.results += fmt::format("{}={}\n", key, value);
    }
}

void QuerySession::set_status(const Words& words, Reply& reply) {
    if (scheduler_->graph().at_path(words[1]).empty())
        reply.results += fmt::format("Could not find path {} in resource graph.\n", words[1]);
    else if (words[2] != "up" && words[2] != "down")
        reply.err += "ERROR: unrecognized status\n";
    else if (const auto done = scheduler_->set_up(words[1], words[2] == "up"); !done)
        reply.err += fmt::format("ERROR: {}\n", done.error().text());
}

void QuerySession::get_status(const Words& words, Reply& reply) {
    const TypedGraph& graph = scheduler_->graph();
    if (graph.at_path(words[1]).empty())
        reply.results += fmt::format("Could not find path {} in resource graph.\n", words[1]);
    for (const VertexId vertex : graph.at_path(words[1]))
        reply.results += fmt::format("{} is {}\n", words[1], graph[vertex].up ? "up" : "down");
}

std::string QuerySession::describe(JobKey number, const Job& job) const {
    constexpr std::string_view names[] = {"ALLOCATED", "RESERVED", "CANCELED"};
    return fmt::format("INFO: {}, {}, {}, {}, {:g}\n", number,
                       names[static_cast<std::size_t>(job.state)], job.at, job.jobspec,
                       job.overhead);
}

void QuerySession::list(const Words&, Reply& reply) {
    for (const auto& [number, job] : jobs_) reply.out += describe(number, job);
}

void QuerySession::info(const Words& words, Reply& reply) {
    const JobKey number = std::atoll(words[1].c_str());
    const auto job = jobs_.find(number);
    if (job == jobs_.end())
        reply.err += fmt::format("info: ERROR: nonexistent job {}\n", number);
    else
        reply.out += describe(number, job->second);
}

void QuerySession::stat(const Words&, Reply& reply) {
    const bool any = !jobs_.empty();
    reply.out += fmt::format("INFO: Num. of Jobs Matched: {}\nINFO: Min. Match Time: {:g}\n"
                             "INFO: Max. Match Time: {:g}\nINFO: Avg. Match Time: {:g}\n",
                             jobs_.size(), any ? least_ : 0, most_,
                             any ? all_ / static_cast<double>(jobs_.size()) : 0);
}

void QuerySession::cat(const Words& words, Reply& reply) {
    const auto text = read(words[1]);
    if (text) reply.out += *text;
    reply.out += fmt::format("INFO: Jobspec in {}\n", words[1]);
}

void QuerySession::help(const Words& words, Reply& reply) {
    bool found = false;
    for (const Command& command : commands()) {
        if (words.size() == 2 && words[1] != command.name && words[1] != command.abbreviation)
            continue;
        found = true;
        reply.out += fmt::format("INFO: {} ({}) -- {}\n", command.name, command.abbreviation,
                                 command.summary);
    }
    if (!found) reply.out += fmt::format("ERROR: unknown command: {}\n", words[1]);
}

void QuerySession::quit(const Words&, Reply& reply) { reply.quit = true; }

}  // namespace sluice
