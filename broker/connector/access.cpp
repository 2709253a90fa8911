#include "broker/connector/access.hpp"

namespace sluice {

Result<Credential> admit(const AccessPolicy& policy, UserId peer) {
    const bool owner = peer == policy.owner || (peer.value == 0 && policy.allow_root_owner);
    if (owner) return Credential{peer, role::owner | role::local};
    if (!policy.allow_guest_user)
        return fail(EPERM, "user {} is not the owner; set access.allow-guest-user to let guests in",
                    peer);
    const bool admin = policy.admins.contains(peer.value);
    return Credential{peer, role::user | role::local | (admin ? role::admin : role::none)};
}

void stamp(const Credential& peer, Message& message) {
    if (!(peer.rolemask & role::owner)) {
        message.cred = peer;
        return;
    }
    if (message.cred.userid == userid_unknown) message.cred.userid = peer.userid;
    if (message.cred.rolemask == role::none) message.cred.rolemask = peer.rolemask;
}

bool may_receive(const Credential& peer, const Message& event) {
    return !event.has(message_flag::private_) || (peer.rolemask & role::owner) ||
           peer.userid == event.cred.userid;
}

}  // namespace sluice
