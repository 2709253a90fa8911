// The configuration of the instance: one JSON object, replaced as a whole when it changes. Parts
// may refuse a new one before it takes effect, and are told afterwards. Pure.
#pragma once

#include <functional>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

class ConfigStore {
  public:
    using Check = std::function<Result<void>(const JsonObject& config)>;
    using OnChange = std::function<void(const JsonObject& config)>;

    ConfigStore() = default;
    explicit ConfigStore(JsonObject root) : root_(std::move(root)) {}

    const JsonObject& root() const { return root_; }
    /// Value at a dotted path, or nullptr.
    const Json* find(std::string_view dotted) const { return find_path(root_, dotted); }
    /// Checks `root`, makes it the configuration and tells the parts; an error changes nothing.
    Result<void> replace(JsonObject root) {
        for (const Check& check : checks_) SLUICE_CHECK(check(root));
        root_ = std::move(root);
        for (const OnChange& on_change : watchers_) on_change(root_);
        return {};
    }
    void add_check(Check check) { checks_.push_back(std::move(check)); }
    void add_watcher(OnChange on_change) { watchers_.push_back(std::move(on_change)); }

  private:
    JsonObject root_;
    std::vector<Check> checks_;
    std::vector<OnChange> watchers_;
};

}  // namespace sluice
