#include "broker/identity.hpp"

#include <pwd.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "broker/config/attributes.hpp"
#include "broker/lifecycle/bootstrap.hpp"

namespace sluice {
namespace {

std::string random_uuid() {
    std::random_device random;
    const std::uint32_t a = random(), b = random(), c = random(), d = random();
    // version 4, variant 1 (RFC 4122)
    return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:04x}{:08x}", a, b >> 16, b & 0xfff,
                       0x8000 | (c >> 18), c & 0xffff, d);
}

std::string own_hostname() {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
}

std::optional<std::string> environment_value(const char* name) {
    const char* value = std::getenv(name);
    return value ? std::optional<std::string>{value} : std::nullopt;
}

}  // namespace

void set_own_attributes(Attributes& attributes) {
    const double now = std::chrono::duration<double>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
    attributes.set("version", protocol_version);
    attributes.set_integer("broker.pid", ::getpid());
    attributes.set("broker.uuid", random_uuid());
    attributes.set("broker.starttime", fmt::format("{:.2f}", now));
    attributes.set_integer("security.owner", ::getuid());
    if (!attributes.find("hostname")) attributes.set("hostname", own_hostname());
}

Result<void> check_quorum(const Attributes& attributes, const Bootstrap& boot) {
    const std::int64_t quorum = attributes.integer_or("broker.quorum", boot.size);
    if (quorum <= boot.size) return {};
    return fail(EINVAL, "broker.quorum: found {}, the instance has {} broker{}", quorum, boot.size,
                boot.size == 1 ? "" : "s");
}

void set_boot_attributes(Attributes& attributes, const Bootstrap& boot) {
    attributes.set_integer("broker.quorum", attributes.integer_or("broker.quorum", boot.size));
    attributes.set_integer("rank", boot.rank.value);
    attributes.set_integer("size", boot.size);
    if (!attributes.find("hostlist")) attributes.set("hostlist", boot.hosts.to_string());
    attributes.set("broker.boot-method", boot.method);
    attributes.set("tbon.topo", boot.topo);
    attributes.set_integer("tbon.level", boot.topology.level(boot.rank));
    attributes.set_integer("tbon.maxlevel", boot.topology.maxlevel());
    attributes.set_integer("tbon.descendants", boot.topology.descendants(boot.rank));
    if (!attributes.find("broker.critical-ranks"))
        attributes.set("broker.critical-ranks", boot.topology.routers().to_string());
    if (boot.mapping) attributes.set("broker.mapping", *boot.mapping);
    attributes.set_integer("instance-level", boot.instance_level);
    attributes.set("parent-uri", std::nullopt);
    attributes.set("jobid-path", "/");
    if (!boot.endpoint.empty()) attributes.set("tbon.endpoint", boot.endpoint);
    if (!boot.parent_endpoint.empty()) attributes.set("tbon.parent-endpoint", boot.parent_endpoint);
    if (!boot.jobid) return;
    attributes.set("jobid", *boot.jobid);
    attributes.set("parent-uri", environment_value("FLUX_URI"));
    if (const auto name = environment_value("FLUX_KVS_NAMESPACE"))
        attributes.set("parent-kvs-namespace", *name);
    attributes.set("jobid-path", environment_value("FLUX_JOB_ID_PATH").value_or("/" + *boot.jobid));
}

AccessPolicy access_policy(const JsonObject& config, UserId owner) {
    AccessPolicy policy{.owner = owner};
    const auto flag = [&](const char* key) {
        const Json* value = find_path(config, key);
        return value && value->is_bool() && value->get_bool();
    };
    policy.allow_guest_user = flag("access.allow-guest-user");
    policy.allow_root_owner = flag("access.allow-root-owner");
    const Json* users = find_path(config, "access.roles.admin.users");
    if (!users || !users->is_array()) return policy;
    for (const Json& user : users->get_array()) {
        if (const auto uid = as_integer(user)) {
            policy.admins.insert(static_cast<std::uint32_t>(*uid));
        } else if (user.is_string()) {
            if (const passwd* entry = ::getpwnam(user.get_string().c_str()))
                policy.admins.insert(entry->pw_uid);
        }
    }
    return policy;
}

}  // namespace sluice
