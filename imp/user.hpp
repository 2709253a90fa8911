// Who calls, who is to be switched to, and the switch.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.hpp"

namespace sluice::imp {

struct User {
    std::string name, home, shell;
    uid_t uid = 0;
    gid_t gid = 0;
};

/// Errors: ENOENT no such user on this host.
Result<User> find_user(uid_t uid);
/// HOME, USER, LOGNAME, SHELL of `user` and a PATH, nothing of the caller's.
std::vector<std::string> clean_environment(const User& user, const std::string& path);
/// For good: groups, real, effective and saved ids. Errors: EPERM or as setresuid(2); nothing may
/// be executed then.
Result<void> become(const User& user);
/// Gives up the privilege of the setuid bit for good: the ids are the caller's. Errors: as become.
Result<void> become_caller();

}  // namespace sluice::imp
