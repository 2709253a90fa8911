// Who may connect to the local socket, and as what (RFC 12; wire.md 1.2 "Credential stamping").
#pragma once

#include <set>

#include "base/result.hpp"
#include "base/rfc/message.hpp"

namespace sluice {

/// The [access] table.
struct AccessPolicy {
    UserId owner;
    bool allow_guest_user = false;
    bool allow_root_owner = false;
    std::set<std::uint32_t> admins;  // user ids of access.roles.admin
};

/// The credential of a peer with user id `peer`, LOCAL included. Errors: EPERM, not let in.
Result<Credential> admit(const AccessPolicy& policy, UserId peer);

/// Completes the credential of a message that `peer` sent: guests get their own, owners may already
/// have chosen one.
void stamp(const Credential& peer, Message& message);

/// Whether an event may be shown to `peer`: private ones only to the publisher and to owners.
bool may_receive(const Credential& peer, const Message& event);

}  // namespace sluice
