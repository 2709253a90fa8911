#include "imp/pam.hpp"

#include <security/pam_appl.h>

namespace sluice::imp {
namespace {

pam_handle_t* session = nullptr;

/// Nobody is there to be asked.
int refuse_to_talk(int, const pam_message**, pam_response**, void*) { return PAM_CONV_ERR; }

Error about(std::string_view step, int code) {
    const Error error = fail(EPERM, "PAM (service flux): {}: {}", step,
                             ::pam_strerror(session, code));
    ::pam_end(session, code);
    session = nullptr;
    return error;
}

}  // namespace

Result<void> open_session(const std::string& user, std::vector<std::string>& environment) {
    static const pam_conv conversation{refuse_to_talk, nullptr};
    int code = ::pam_start("flux", user.c_str(), &conversation, &session);
    if (code != PAM_SUCCESS) return fail(EPERM, "PAM (service flux): it cannot be started");
    if (code = ::pam_authenticate(session, PAM_SILENT); code != PAM_SUCCESS)
        return about("auth", code);
    if (code = ::pam_acct_mgmt(session, PAM_SILENT); code != PAM_SUCCESS)
        return about("account", code);
    if (code = ::pam_setcred(session, PAM_ESTABLISH_CRED | PAM_SILENT); code != PAM_SUCCESS)
        return about("credentials", code);
    if (code = ::pam_open_session(session, PAM_SILENT); code != PAM_SUCCESS)
        return about("session", code);
    if (char** const list = ::pam_getenvlist(session))
        for (char** entry = list; *entry; ++entry) environment.emplace_back(*entry);
    return {};
}

void close_session() {
    if (!session) return;
    ::pam_close_session(session, PAM_SILENT);
    ::pam_setcred(session, PAM_DELETE_CRED | PAM_SILENT);
    ::pam_end(session, PAM_SUCCESS);
    session = nullptr;
}

}  // namespace sluice::imp
