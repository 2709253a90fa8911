// Mustache tags in command words, paths and environment templates (cli.md 2.9): {{id.dec}},
// {{node.name}}, {{task.id}}, … Unknown tags stay in the text.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/strong_id.hpp"

namespace sluice::shell {

struct MustacheValues {
    JobId id;
    std::string name, tmpdir;
    std::uint32_t nnodes = 1, ntasks = 1;
    struct Node {
        std::uint32_t id = 0, broker_rank = 0, ncores = 0;
        std::string name, cores, gpus;
    } node;
    struct Task {
        std::uint32_t rank = 0, localid = 0;
    };
    std::optional<Task> task;  // task tags are unknown without it
};

std::string render(std::string_view text, const MustacheValues& values);
/// Whether `text` has a tag that differs by node, or by task.
bool has_node_tag(std::string_view text);
bool has_task_tag(std::string_view text);

}  // namespace sluice::shell
