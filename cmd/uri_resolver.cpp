#include "cmd/uri_resolver.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/rfc/fluid.hpp"
#include "base/words.hpp"
#include "cmd/client.hpp"
#include "cmd/format/output_format.hpp"
#include "cmd/job_query.hpp"
#include "cmd/options/job_filter.hpp"

namespace sluice {

namespace {

std::string remote_uri(const std::string& uri) {
    constexpr std::string_view local = "local://";
    return uri.starts_with(local) ? "ssh://" + host_name() + uri.substr(local.size()) : uri;
}

std::string in_form(const std::string& uri, UriForm form) {
    switch (form) {
        case UriForm::local:
            return localized_uri(uri);
        case UriForm::remote:
            return remote_uri(uri);
        case UriForm::reachable:
            return reachable_uri(uri);
        case UriForm::stored:
            break;
    }
    const char* resolve_local = std::getenv("FLUX_URI_RESOLVE_LOCAL");
    return resolve_local && *resolve_local ? localized_uri(uri) : uri;
}

/// URI of the instance that job `word` of this instance runs.
Result<std::string> job_uri_of(Handle& flux, const std::string& word) {
    SLUICE_TRY(const JobId id, jobid_argument(word, CliStyle::python_tool));
    const auto json = list_job_id(flux, id, {"state", "annotations"});
    if (!json && json.error().errnum() == ENOENT) return fail(ENOENT, "jobid {} not found", word);
    if (!json) return json.error();
    JobRow job;
    job.json = *json;
    if (!(job.integer("state") & job_state::running))
        return fail(ENOENT, "jobid {} is not running", word);
    const std::string uri = job_uri(job);
    if (uri.empty()) return fail(ENOENT, "URI not found for job {}", word);
    return uri;
}

Result<Handle> parent_of(Handle flux) {
    const auto uri = flux.attr("parent-uri");
    if (!uri) return flux;  // the root is its own parent
    return Handle::open(reachable_uri(*uri));
}

Result<Handle> root_of(Handle flux) {
    SLUICE_TRY(const std::string level, flux.attr("instance-level"));
    for (int i = std::atoi(level.c_str()); i > 0; --i) {
        SLUICE_TRY(flux, parent_of(std::move(flux)));
    }
    return flux;
}

/// "ID/ID", "..", "/" and combinations: a path in the tree of instances.
Result<std::string> resolve_path(const std::string& path) {
    SLUICE_TRY(Handle flux, Handle::open());
    if (path.starts_with('/')) {
        SLUICE_TRY(flux, root_of(std::move(flux)));
    }
    std::optional<std::string> uri;  // of the job named last
    for (const std::string& word : split_words(path, '/')) {
        if (uri) {
            SLUICE_TRY(flux, Handle::open(reachable_uri(*uri)));
            uri.reset();
        }
        if (word == "..") {
            SLUICE_TRY(flux, parent_of(std::move(flux)));
        } else if (word != ".") {
            SLUICE_TRY(uri, job_uri_of(flux, word));
        }
    }
    if (uri) return *uri;
    return flux.attr("local-uri");
}

Result<std::string> read_proc(const std::string& pid, const std::string& file) {
    std::ifstream in("/proc/" + pid + "/" + file, std::ios::binary);
    if (!in) return fail(ENOENT, "PID {}: no such process, or not yours", pid);
    return std::string{std::istreambuf_iterator<char>(in), {}};
}

/// FLUX_URI in the environment of a process.
Result<std::string> uri_of_process(const std::string& pid) {
    SLUICE_TRY(const std::string environment, read_proc(pid, "environ"));
    constexpr std::string_view name = "FLUX_URI=";
    for (const std::string& variable : split_words(environment, '\0'))
        if (variable.starts_with(name)) return variable.substr(name.size());
    return fail(ENOENT, "PID {} doesn't seem to have a FLUX_URI", pid);
}

/// A broker's own FLUX_URI is its parent's; what it runs has its own.
Result<std::string> resolve_pid(const std::string& pid) {
    SLUICE_TRY(const std::string name, read_proc(pid, "comm"));
    if (!name.starts_with("flux-broker")) return uri_of_process(pid);
    SLUICE_TRY(const std::string children, read_proc(pid, "task/" + pid + "/children"));
    for (const std::string& child : split_words(children, ' ')) {
        const auto child_name = read_proc(child, "comm");
        if (!child_name || child_name->starts_with("flux-shell")) continue;
        if (auto uri = uri_of_process(child)) return uri;
    }
    return fail(ENOENT, "PID {} is a flux-broker and no child found", pid);
}

/// Takes "?local" or "?remote" off a target.
std::optional<UriForm> take_query(std::string& target) {
    const std::pair<std::string_view, UriForm> queries[] = {{"?local", UriForm::local},
                                                            {"?remote", UriForm::remote}};
    for (const auto& [query, form] : queries) {
        if (!target.ends_with(query)) continue;
        target.resize(target.size() - query.size());
        return form;
    }
    return std::nullopt;
}

}  // namespace

Result<std::string> resolve_target_uri(const std::string& target, UriForm form) {
    const std::size_t colon = target.find(':');
    const std::string scheme = colon == target.npos ? "jobid" : target.substr(0, colon);
    std::string rest = colon == target.npos ? target : target.substr(colon + 1);
    if (scheme == "local" || scheme == "ssh") return in_form(target, form);
    if (scheme != "jobid" && scheme != "pid")
        return fail(EINVAL, "No plugin for URI scheme {}", scheme);
    form = take_query(rest).value_or(form);
    SLUICE_TRY(const std::string uri, scheme == "pid" ? resolve_pid(rest) : resolve_path(rest));
    return in_form(uri, form);
}

}  // namespace sluice
