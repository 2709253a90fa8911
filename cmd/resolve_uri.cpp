#include "cmd/resolve_uri.hpp"

#include "base/rfc/fluid.hpp"
#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/format/output_format.hpp"
#include "cmd/job_query.hpp"

namespace sluice {
namespace {

/// The URI of a job in the instance at `instance` (empty: FLUX_URI).
Result<std::string> job_uri(const std::string& instance, const std::string& word) {
    SLUICE_TRY(const JobId id, jobid_argument(word, CliStyle::c_tool));
    SLUICE_TRY(Handle flux, Handle::open(instance));
    SLUICE_TRY(const JsonObject job, list_job_id(flux, id, {"state", "annotations"}));
    const Json* uri = find_path(job, "annotations.user.uri");
    if (!uri || !uri->is_string()) return fail(EINVAL, "job {} is not an instance of Flux", word);
    return reachable_uri(std::string{uri->as_string()});
}

}  // namespace

Result<std::string> resolve_uri(const std::string& target) {
    constexpr std::string_view jobid_scheme = "jobid:";
    if (target.find("://") != std::string::npos) return reachable_uri(target);
    std::string_view path = target;
    if (path.starts_with(jobid_scheme)) path.remove_prefix(jobid_scheme.size());
    std::string uri;
    for (const std::string& word : split_words(path, '/')) {
        auto next = job_uri(uri, word);
        if (!next) return next.error();
        uri = *std::move(next);
    }
    if (uri.empty()) return fail(EINVAL, "'{}' is not a URI or a job id", target);
    return uri;
}

}  // namespace sluice
