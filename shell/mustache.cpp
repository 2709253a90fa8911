#include "shell/mustache.hpp"

#include "base/rfc/fluid.hpp"

namespace sluice::shell {
namespace {

/// Calls `replace` for the inside of each {{…}}; nullopt leaves the tag as it is.
template <class Replace>
std::string replace_tags(std::string_view text, Replace replace) {
    std::string out;
    while (true) {
        const std::size_t open = text.find("{{");
        const std::size_t close = open == text.npos ? text.npos : text.find("}}", open + 2);
        if (close == text.npos) return out.append(text);
        out.append(text.substr(0, open));
        const std::string_view tag = text.substr(open + 2, close - open - 2);
        if (const std::optional<std::string> value = replace(tag)) {
            out += *value;
        } else {
            out.append(text.substr(open, close + 2 - open));
        }
        text.remove_prefix(close + 2);
    }
}

std::optional<std::string> job_tag(std::string_view tag, const MustacheValues& values) {
    const std::size_t dot = std::min(tag.find('.'), tag.size());
    const std::string_view head = tag.substr(0, dot);
    if (head == "id" || head == "jobid") {
        if (dot == tag.size()) return to_f58(values.id);
        const auto form = fluid_form(tag.substr(dot + 1));
        if (!form) return std::nullopt;
        return fluid_encode(values.id, *form);
    }
    if (tag == "name") return values.name;
    if (tag == "nnodes") return std::to_string(values.nnodes);
    if (tag == "size" || tag == "ntasks") return std::to_string(values.ntasks);
    if (tag == "tmpdir") return values.tmpdir;
    return std::nullopt;
}

std::optional<std::string> node_tag(std::string_view tag, const MustacheValues::Node& node) {
    if (tag == "node.id") return std::to_string(node.id);
    if (tag == "node.name") return node.name;
    if (tag == "node.broker_rank") return std::to_string(node.broker_rank);
    if (tag == "node.cores") return node.cores;
    if (tag == "node.gpus") return node.gpus;
    if (tag == "node.ncores") return std::to_string(node.ncores);
    return std::nullopt;
}

std::optional<std::string> task_tag(std::string_view tag, const MustacheValues::Task& task) {
    if (tag == "task.id" || tag == "task.rank" || tag == "taskid") return std::to_string(task.rank);
    if (tag == "task.index" || tag == "task.localid") return std::to_string(task.localid);
    return std::nullopt;
}

}  // namespace

std::string render(std::string_view text, const MustacheValues& values) {
    if (text.find("{{") == text.npos) return std::string{text};
    return replace_tags(text, [&](std::string_view tag) {
        auto value = job_tag(tag, values);
        if (!value) value = node_tag(tag, values.node);
        if (!value && values.task) value = task_tag(tag, *values.task);
        return value;
    });
}

bool has_node_tag(std::string_view text) {
    bool found = false;
    replace_tags(text, [&](std::string_view tag) {
        auto value = node_tag(tag, {});
        found = found || value.has_value();
        return value;
    });
    return found;
}

bool has_task_tag(std::string_view text) {
    bool found = false;
    replace_tags(text, [&](std::string_view tag) {
        auto value = task_tag(tag, {});
        found = found || value.has_value();
        return value;
    });
    return found;
}

}  // namespace sluice::shell
