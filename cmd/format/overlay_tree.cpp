#include "cmd/format/overlay_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/rfc/fsd.hpp"

namespace sluice {
namespace {

std::string host_of(std::uint32_t rank, const Hostlist& hosts) {
    return rank < hosts.size() ? hosts[rank] : fmt::format("rank{}", rank);
}

bool holds_any(const OverlayNode& node, const Idset& ranks) {
    return ranks.contains(node.rank) ||
           std::ranges::any_of(node.children,
                               [&](const OverlayNode& child) { return holds_any(child, ranks); });
}

class TreePrinter {
  public:
    TreePrinter(const Hostlist& hosts, const OverlayTreeOptions& options)
        : hosts_(hosts), options_(options) {}

    void print(const OverlayNode& node, const std::string& head, const std::string& indent) {
        text_ += head + label(node) + ": " + state(node) + "\n";
        std::vector<const OverlayNode*> shown;
        for (const OverlayNode& child : node.children)
            if (!hidden(child)) shown.push_back(&child);
        for (const OverlayNode* child : shown) {
            const bool last = child == shown.back();
            if (!options_.pretty)
                print(*child, "", "");
            else
                print(*child, indent + (last ? "└─ " : "├─ "), indent + (last ? "   " : "│  "));
        }
    }
    std::string take() { return std::move(text_); }

  private:
    bool hidden(const OverlayNode& node) const {
        return (node.ghost && !options_.ghosts) || (options_.down && node.status == "full");
    }

    std::string label(const OverlayNode& node) const {
        const std::string text = fmt::format("{} {}", node.rank, host_of(node.rank, hosts_));
        if (!options_.highlight.empty() && holds_any(node, options_.highlight))
            return options_.color ? "\x1b[01;34m" + text + "\x1b[0m" : "<<" + text + ">>";
        return node.ghost && options_.color ? "\x1b[01;30m" + text + "\x1b[0m" : text;
    }

    std::string state(const OverlayNode& node) const {
        std::string text = colored_status(node);
        if (options_.verbose >= 1 && !node.ghost) text += " for " + fsd_format(node.seconds);
        if (options_.verbose >= 2 && node.rpc_seconds)
            text += fmt::format(" ({:.3f} ms)", *node.rpc_seconds * 1e3);
        if (!node.error.empty()) text += " " + node.error;
        return text;
    }

    std::string colored_status(const OverlayNode& node) const {
        if (!options_.color) return node.status;
        const std::string_view code = node.ghost                 ? "01;30"
                                      : node.status == "lost"    ? "01;31"
                                      : node.status == "offline" ? "01;33"
                                                                 : "";
        return code.empty() ? node.status : fmt::format("\x1b[{}m{}\x1b[0m", code, node.status);
    }

    const Hostlist& hosts_;
    const OverlayTreeOptions& options_;
    std::string text_;
};

void collect_errors(const OverlayNode& node, const Hostlist& hosts,
                    std::map<std::string, Hostlist>& by_error) {
    if (!node.error.empty()) by_error[node.error].append(host_of(node.rank, hosts));
    for (const OverlayNode& child : node.children) collect_errors(child, hosts, by_error);
}

}  // namespace

std::string overlay_tree(const OverlayNode& root, const Hostlist& hosts,
                         const OverlayTreeOptions& options) {
    if (options.down && root.status == "full") return "";
    TreePrinter printer{hosts, options};
    printer.print(root, "", "");
    return printer.take();
}

std::string overlay_errors(const OverlayNode& root, const Hostlist& hosts) {
    std::map<std::string, Hostlist> by_error;
    collect_errors(root, hosts, by_error);
    std::string text;
    for (const auto& [error, names] : by_error)
        text += fmt::format("{}: {}\n", names.to_string(), error);
    return text;
}

}  // namespace sluice
