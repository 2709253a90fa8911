// RFC 34 - see taskmap.hpp.
#include "base/rfc/taskmap.hpp"

#include <algorithm>
#include <charconv>

namespace sluice {
namespace {

using Block = Taskmap::Block;

constexpr std::uint64_t tasks_max = std::uint64_t{1} << 24;

std::uint64_t tasks_in(const Block& block) {
    return std::uint64_t{block.nnodes} * block.ppn * block.repeat;
}

/// Appends `ppn` consecutive tasks on `nodeid`; neighbouring nodes with as many join a block.
void append_run(std::vector<Block>& blocks, std::uint32_t nodeid, std::uint32_t ppn) {
    if (!blocks.empty() && blocks.back().ppn == ppn &&
        blocks.back().nodeid + blocks.back().nnodes == nodeid) {
        ++blocks.back().nnodes;
    } else {
        blocks.push_back({nodeid, 1, ppn, 1});
    }
}

/// Equal blocks in a row become one with `repeat`.
std::vector<Block> join_repeats(const std::vector<Block>& blocks) {
    std::vector<Block> joined;
    for (const Block& block : blocks) {
        const bool same = !joined.empty() && joined.back().nodeid == block.nodeid &&
                          joined.back().nnodes == block.nnodes && joined.back().ppn == block.ppn;
        if (same) {
            joined.back().repeat += block.repeat;
        } else {
            joined.push_back(block);
        }
    }
    return joined;
}

Result<void> check_blocks(const std::vector<Block>& blocks) {
    std::uint64_t tasks = 0;
    for (const Block& block : blocks) {
        if (block.nnodes == 0 || block.ppn == 0 || block.repeat == 0)
            return fail(EINVAL, "taskmap: nnodes, ppn and repeat must be at least 1");
        const bool fits = block.nodeid <= tasks_max && block.nnodes <= tasks_max &&
                          block.ppn <= tasks_max && block.repeat <= tasks_max &&
                          std::uint64_t{block.nnodes} * block.ppn <= tasks_max;
        if (fits) tasks += tasks_in(block);
        if (!fits || tasks > tasks_max)
            return fail(EINVAL, "taskmap: over {} tasks or nodes", tasks_max);
    }
    return {};
}

Result<std::uint32_t> read_number(const Json& value) {
    const auto number = as_integer(value);
    if (!number) return fail(EINVAL, "taskmap: expected integers, found {}", json_type_name(value));
    if (*number < 0 || *number > static_cast<std::int64_t>(tasks_max))
        return fail(EINVAL, "taskmap: number {} is not in 0 to {}", *number, tasks_max);
    return static_cast<std::uint32_t>(*number);
}

Result<Block> read_block(const Json& value) {
    if (!value.is_array() || value.get_array().size() != 4)
        return fail(EINVAL, "taskmap: a block must be [nodeid,nnodes,ppn,repeat]");
    const JsonArray& array = value.get_array();
    Block block{};
    SLUICE_TRY(block.nodeid, read_number(array[0]));
    SLUICE_TRY(block.nnodes, read_number(array[1]));
    SLUICE_TRY(block.ppn, read_number(array[2]));
    SLUICE_TRY(block.repeat, read_number(array[3]));
    return block;
}

/// Reads PMI's "(vector,(0,4,4),(4,2,1))" from left to right.
class PmiReader {
  public:
    explicit PmiReader(std::string_view text) : text_(text), rest_(text) {}

    Result<std::vector<Block>> read() {
        std::vector<Block> blocks;
        if (!take("(") || !take("vector")) return bad();
        while (take(",")) {
            Block block{0, 0, 0, 1};
            const bool ok = take("(") && take_number(block.nodeid) && take(",") &&
                            take_number(block.nnodes) && take(",") && take_number(block.ppn) &&
                            take(")");
            if (!ok) return bad();
            blocks.push_back(block);
        }
        if (!take(")") || !rest_.empty()) return bad();
        return blocks;
    }

  private:
    bool take(std::string_view token) {
        while (rest_.starts_with(' ')) rest_.remove_prefix(1);
        if (!rest_.starts_with(token)) return false;
        rest_.remove_prefix(token.size());
        return true;
    }

    bool take_number(std::uint32_t& to) {
        take("");  // skips spaces
        const auto [end, error] =
            std::from_chars(rest_.data(), rest_.data() + rest_.size(), to);
        if (error != std::errc{}) return false;
        rest_.remove_prefix(end - rest_.data());
        return true;
    }

    Error bad() const {
        return fail(EINVAL, "taskmap '{}': expected (vector,(nodeid,nnodes,ppn),…), fault at {}",
                    text_, text_.size() - rest_.size());
    }

    std::string_view text_, rest_;
};

/// A node's run of task ids.
struct Run {
    std::uint32_t first, last, nodeid;
};

}  // namespace

Taskmap Taskmap::block(const std::vector<std::uint32_t>& counts) {
    std::vector<Block> blocks;
    for (std::uint32_t nodeid = 0; nodeid < counts.size(); ++nodeid)
        if (counts[nodeid]) append_run(blocks, nodeid, counts[nodeid]);
    Taskmap map;
    map.blocks_ = std::move(blocks);
    return map;
}

Taskmap Taskmap::cyclic(const std::vector<std::uint32_t>& counts, std::uint32_t stride) {
    std::vector<std::uint32_t> left = counts;
    std::vector<Block> blocks;
    stride = std::max(stride, 1u);
    for (bool any = true; any;) {
        any = false;
        std::vector<Block> turn;
        for (std::uint32_t nodeid = 0; nodeid < left.size(); ++nodeid) {
            const std::uint32_t run = std::min(stride, left[nodeid]);
            if (run == 0) continue;
            append_run(turn, nodeid, run);
            left[nodeid] -= run;
            any = true;
        }
        blocks.insert(blocks.end(), turn.begin(), turn.end());
    }
    Taskmap map;
    map.blocks_ = join_repeats(blocks);
    return map;
}

Result<Taskmap> Taskmap::from_ids(const std::vector<Idset>& ids_by_node) {
    std::vector<Run> runs;
    for (std::uint32_t nodeid = 0; nodeid < ids_by_node.size(); ++nodeid)
        for (const Idset::Range range : ids_by_node[nodeid].ranges())
            runs.push_back({range.first, range.last, nodeid});
    std::ranges::sort(runs, {}, &Run::first);
    std::vector<Block> blocks;
    std::uint64_t next = 0;
    for (const Run& run : runs) {
        if (run.first != next)
            return fail(EINVAL, "taskmap: task {} is {}", std::min<std::uint64_t>(run.first, next),
                        run.first < next ? "on two nodes" : "missing");
        next = std::uint64_t{run.last} + 1;
        if (next > tasks_max) return fail(EINVAL, "taskmap: over {} tasks", tasks_max);
        append_run(blocks, run.nodeid, run.last - run.first + 1);
    }
    Taskmap map;
    map.blocks_ = join_repeats(blocks);
    return map;
}

Result<Taskmap> Taskmap::parse(std::string_view text) {
    if (text.starts_with('(')) {
        Taskmap map;
        SLUICE_TRY(map.blocks_, PmiReader{text}.read());
        SLUICE_CHECK(check_blocks(map.blocks_));
        map.blocks_ = join_repeats(map.blocks_);
        return map;
    }
    const auto value = parse_json(text);
    if (!value) return fail(EINVAL, "taskmap '{}': {}", text, value.error().text());
    return from_json(*value);
}

Result<Taskmap> Taskmap::from_json(const Json& value) {
    const Json* map_value = &value;
    if (const JsonObject* object = value.if_object()) {
        JsonReader in{*object};
        const std::int64_t version = in.integer("version");
        map_value = in.any("map");
        if (!in) return Error{EINVAL, in.error().in("taskmap").text()};
        if (version != 1) return fail(EINVAL, "taskmap: version {}, expected 1", version);
    }
    if (!map_value->is_array())
        return fail(EINVAL, "taskmap: expected an array, found {}", json_type_name(*map_value));
    Taskmap map;
    for (const Json& item : map_value->get_array()) {
        SLUICE_TRY(const Block block, read_block(item));
        map.blocks_.push_back(block);
    }
    SLUICE_CHECK(check_blocks(map.blocks_));
    return map;
}

JsonArray Taskmap::to_json() const {
    JsonArray array;
    for (const Block& block : blocks_)
        array.push_back(JsonArray{block.nodeid, block.nnodes, block.ppn, block.repeat});
    return array;
}

JsonObject Taskmap::to_wrapped_json() const {
    JsonObject object;
    object["version"] = 1;
    object["map"] = to_json();
    return object;
}

std::string Taskmap::to_string() const { return dump_json(Json(to_json())); }

std::string Taskmap::to_pmi() const {
    if (unknown()) return {};  // PMI: an empty mapping means that it is not known
    std::string out = "(vector";
    for (const Block& block : blocks_)
        for (std::uint32_t turn = 0; turn < block.repeat; ++turn)
            out += fmt::format(",({},{},{})", block.nodeid, block.nnodes, block.ppn);
    return out + ')';
}

std::uint32_t Taskmap::node_count() const {
    std::uint32_t count = 0;
    for (const Block& block : blocks_) count = std::max(count, block.nodeid + block.nnodes);
    return count;
}

std::uint32_t Taskmap::task_count() const {
    std::uint64_t count = 0;
    for (const Block& block : blocks_) count += tasks_in(block);
    return static_cast<std::uint32_t>(count);
}

Idset Taskmap::task_ids(std::uint32_t nodeid) const {
    Idset ids;
    std::uint32_t base = 0;
    for (const Block& block : blocks_) {
        const std::uint32_t per_turn = block.nnodes * block.ppn;
        if (nodeid >= block.nodeid && nodeid - block.nodeid < block.nnodes) {
            std::uint32_t first = base + (nodeid - block.nodeid) * block.ppn;
            for (std::uint32_t turn = 0; turn < block.repeat; ++turn, first += per_turn)
                ids.insert(first, first + block.ppn - 1);
        }
        base += per_turn * block.repeat;
    }
    return ids;
}

Result<std::uint32_t> Taskmap::nodeid(std::uint32_t taskid) const {
    std::uint64_t left = taskid;
    for (const Block& block : blocks_) {
        const std::uint64_t tasks = tasks_in(block);
        if (left < tasks)
            return block.nodeid + static_cast<std::uint32_t>(left / block.ppn % block.nnodes);
        left -= tasks;
    }
    return fail(ENOENT, "taskmap: no task {}, there are {}", taskid, task_count());
}

}  // namespace sluice
