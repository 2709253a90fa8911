// A broker put together: its parts, made stage by stage, and what its lifecycle does through them
// and its membership.
#pragma once

#include <functional>
#include <set>
#include <string_view>
#include <vector>

#include "broker/lifecycle/lifecycle.hpp"
#include "broker/overlay/membership.hpp"
#include "broker/parts.hpp"

namespace sluice {

class Assembly {
  public:
    /// Parts named in `left_out` are not made.
    explicit Assembly(std::set<std::string_view> left_out = {}) : left_out_(std::move(left_out)) {}
    ~Assembly() { clear(); }
    Assembly(const Assembly&) = delete;
    Assembly& operator=(const Assembly&) = delete;

    /// Errors: as the part's function, in the part's name.
    Result<void> make(BrokerContext& context, Stage stage);
    /// Destroys them, the last one first.
    void clear();
    /// `membership`: nullptr in an instance of one broker. `stop`: the last state was reached.
    Lifecycle::Effects effects(BrokerContext& context, Membership* membership,
                               std::function<void()> stop);

  private:
    const std::set<std::string_view> left_out_;
    std::vector<Part> parts_;
};

}  // namespace sluice
