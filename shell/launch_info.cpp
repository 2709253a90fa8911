#include "shell/launch_info.hpp"

#include "base/rfc/fluid.hpp"

namespace sluice::shell {

Result<LaunchInfo> LaunchInfo::from_json(const JsonObject& payload) {
    JsonReader in{payload};
    LaunchInfo info;
    info.id = JobId{static_cast<std::uint64_t>(in.integer("id"))};
    info.userid = UserId{static_cast<std::uint32_t>(in.integer("userid"))};
    info.shell_rank = static_cast<std::uint32_t>(in.integer("shell_rank"));
    info.nnodes = static_cast<std::uint32_t>(in.integer("nnodes"));
    const std::string resources = in.string("R"), jobspec = in.string("jobspec");
    info.rank = Rank{static_cast<std::uint32_t>(in.integer("rank"))};
    info.hostname = in.string("hostname");
    info.uri = in.string("uri");
    info.rundir = in.string("rundir");
    info.owner = UserId{static_cast<std::uint32_t>(in.integer_or("owner", info.userid.value))};
    info.jobid_path = in.string_or("jobid_path", "/");
    info.instance_level = in.integer_or("instance_level", 0);
    info.interface_hint = in.string_or("interface_hint", "");
    if (!in) return in.error();
    SLUICE_TRY(const JsonObject R, parse_json_object(resources));
    SLUICE_TRY(info.resources, ResourceSet::from_json(R));
    SLUICE_TRY(info.jobspec, Jobspec::parse(jobspec));
    if (info.nnodes != info.resources.node_count() || info.shell_rank >= info.nnodes)
        return fail(EINVAL, "shell {} of {}: R has {} nodes", info.shell_rank, info.nnodes,
                    info.resources.node_count());
    return info;
}

std::string LaunchInfo::service() const {
    return fmt::format("{}-shell-{}", userid.value, to_f58plain(id));
}

}  // namespace sluice::shell
