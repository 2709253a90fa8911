// The router's view of the tree overlay (RFC 3, wire.md 1.6). ZeroMQ's ROUTER socket pushes the
// child's uuid on what it receives and consumes the last route of what it sends, so a child is
// addressed by routes.back().
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/rfc/message.hpp"
#include "base/strong_id.hpp"

namespace sluice {

class TbonLink {
  public:
    virtual ~TbonLink() = default;
    /// Our own uuid: what a child sees as the last route of a request from above.
    virtual const std::string& uuid() const = 0;
    /// The parent's uuid; empty at the root or before the hello.
    virtual const std::string& parent_uuid() const = 0;
    /// The direct child whose subtree holds `target`; nullopt if it is not below us.
    virtual std::optional<Rank> child_toward(Rank target) const = 0;
    /// The uuid of a direct child; nullopt while it is offline.
    virtual std::optional<std::string> child_uuid(Rank child) const = 0;
    virtual bool is_child(std::string_view uuid) const = 0;
    /// Errors: EHOSTUNREACH when there is no parent or it is lost.
    virtual Result<void> send_parent(const Message& message) = 0;
    /// To the child named by routes.back(). Errors: EHOSTUNREACH.
    virtual Result<void> send_child(const Message& message) = 0;
    /// A copy to every online child.
    virtual void send_children(const Message& event) = 0;
};

}  // namespace sluice
