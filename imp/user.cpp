#include "imp/user.hpp"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

namespace sluice::imp {
namespace {

Result<void> set_ids(uid_t uid, gid_t gid) {
    if (::setresgid(gid, gid, gid) != 0 || ::setresuid(uid, uid, uid) != 0)
        return fail(errno, "switch to uid {}: {}", uid, Error{errno}.text());
    uid_t real = 0, effective = 0, saved = 0;
    if (::getresuid(&real, &effective, &saved) != 0 || real != uid || effective != uid ||
        saved != uid)
        return fail(EPERM, "switch to uid {}: it did not take effect", uid);
    if (uid != 0 && ::setuid(0) == 0) return fail(EPERM, "switch to uid {}: it can be undone", uid);
    return {};
}

}  // namespace

Result<User> find_user(uid_t uid) {
    errno = 0;
    const passwd* entry = ::getpwuid(uid);
    if (!entry || !entry->pw_name)
        return fail(ENOENT, "uid {} has no account on this host{}{}", uid, errno ? ": " : "",
                    errno ? Error{errno}.text() : "");
    return User{entry->pw_name, entry->pw_dir ? entry->pw_dir : "/",
                entry->pw_shell && *entry->pw_shell ? entry->pw_shell : "/bin/sh", entry->pw_uid,
                entry->pw_gid};
}

std::vector<std::string> clean_environment(const User& user, const std::string& path) {
    return {"HOME=" + user.home, "USER=" + user.name, "LOGNAME=" + user.name,
            "SHELL=" + user.shell, "PATH=" + path};
}

Result<void> become(const User& user) {
    if (::initgroups(user.name.c_str(), user.gid) != 0)
        return fail(errno, "groups of {}: {}", user.name, Error{errno}.text());
    return set_ids(user.uid, user.gid);
}

Result<void> become_caller() {
    return set_ids(::getuid(), ::getgid());
}

}  // namespace sluice::imp
