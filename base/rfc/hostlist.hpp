// RFC 29 - hostlists: ordered lists of host names, duplicates allowed, written "n[0-3,7],login".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace sluice {

class Hostlist {
  public:
    Hostlist() = default;
    explicit Hostlist(std::vector<std::string> hosts) : hosts_(std::move(hosts)) {}
    /// Errors: EINVAL naming the offending text; over 2^20 hosts.
    static Result<Hostlist> parse(std::string_view text);
    /// Compressed form in list order; leading zeros keep their width.
    std::string to_string() const;

    bool empty() const { return hosts_.empty(); }
    std::size_t size() const { return hosts_.size(); }
    const std::vector<std::string>& hosts() const { return hosts_; }
    const std::string& operator[](std::size_t i) const { return hosts_[i]; }
    /// Position of the first occurrence.
    std::optional<std::size_t> find(std::string_view host) const;
    bool contains(std::string_view host) const { return find(host).has_value(); }
    void append(std::string host) { hosts_.push_back(std::move(host)); }
    void append(const Hostlist& other);
    /// Sorted by name, numbers by value; without duplicates in uniq().
    void sort();
    void uniq();
    friend bool operator==(const Hostlist&, const Hostlist&) = default;

  private:
    std::vector<std::string> hosts_;
};

}  // namespace sluice
