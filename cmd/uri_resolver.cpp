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

/// FLUX_URI in the environment of a process.
Result<std::string> resolve_pid(const std::string& pid) {
    std::ifstream in("/proc/" + pid + "/environ", std::ios::binary);
    if (!in) return fail(ENOENT, "PID {}: no such process, or not yours", pid);
    const std::string environment{std::istreambuf_iterator<char>(in), {}};
    constexpr std::string_view name = "FLUX_URI=";
    for (const std::string& variable : split_words(environment, '\0'))
        if (variable.starts_with(name)) return variable.substr(name.size());
    return fail(ENOENT, "PID {} doesn't seem to have a FLUX_URI", pid);
}

}  // namespace

Result<std::string> resolve_target_uri(const std::string& target, UriForm form) {
    const std::size_t colon = target.find(':');
    const std::string scheme = colon == target.npos ? "jobid" : target.substr(0, colon);
    const std::string rest = colon == target.npos ? target : target.substr(colon + 1);
    if (scheme == "local" || scheme == "ssh") return in_form(target, form);
    if (scheme != "jobid" && scheme != "pid")
        return fail(EINVAL, "No plugin for URI scheme {}", scheme);
    SLUICE_TRY(const std::string uri, scheme == "pid" ? resolve_pid(rest) : resolve_path(rest));
    return in_form(uri, form);
}

}  // namespace sluice
