// Which nodes may be used: online, excluded by the configuration, drained by an administrator or by
// us (RFC 28, 44). Pure; decides, and says what changed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/idset.hpp"
#include "base/rfc/resource_set.hpp"

namespace sluice {

/// How a drain treats ranks that are drained already.
enum class DrainMode : std::uint8_t {
    refuse,           // EEXIST
    update,           // leave them as they are
    overwrite,        // new reason
    force_overwrite,  // new reason and time
};

class NodeStates {
  public:
    struct Drained {
        double timestamp = 0;
        std::string reason;
        friend bool operator==(const Drained&, const Drained&) = default;
    };

    const Idset& online() const { return online_; }
    const Idset& excluded() const { return excluded_; }
    const std::map<std::uint32_t, Drained>& drained() const { return drained_; }
    Idset drained_ranks() const;
    /// Online, neither drained nor excluded.
    Idset usable() const { return online_ - drained_ranks() - excluded_; }

    /// What of `ranks` was not online (offline) before.
    Idset set_online(const Idset& ranks);
    Idset set_offline(const Idset& ranks);
    void set_excluded(Idset ranks) { excluded_ = std::move(ranks); }
    /// Errors: EEXIST "rank 3 already drained" (for a known reason), EINVAL "rank 3 excluded".
    Result<void> drain(const Idset& ranks, const std::string& reason, DrainMode mode, double now);
    /// Errors: EINVAL "rank 3 not drained", unless `any` is set.
    Result<void> undrain(const Idset& ranks, bool any = false);

    /// {"0-1":{"timestamp":1.0,"reason":"bad disk"}}: ranks drained alike share an entry.
    JsonObject drain_json() const;

  private:
    Idset online_, excluded_;
    std::map<std::uint32_t, Drained> drained_;
};

/// Ranks named by an idset of ranks or by a hostlist.
/// Errors: EINVAL "idset is out of range" or "invalid hosts: X".
Result<Idset> find_ranks(std::string_view targets, const ResourceSet& R);
Result<DrainMode> parse_drain_mode(std::string_view text);

}  // namespace sluice
