#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "cmd/simulate/workload.hpp"

namespace sluice {
namespace {

constexpr std::size_t field_count = 18;
/// Places of the fields that count, as the format numbers them from 1.
enum Field { number = 1, submit, wait, run_time, allocated, asked = 8, time_limit = 9 };
constexpr double largest = 1e15;

using Fields = std::array<double, field_count + 1>;

std::string_view take_line(std::string_view& text) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

Result<Fields> parse_fields(std::string_view line) {
    Fields fields{};
    std::size_t count = 0;
    for (;;) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (line.empty()) break;
        const std::string_view word = line.substr(0, line.find_first_of(" \t"));
        line.remove_prefix(word.size());
        if (++count > field_count) continue;
        const auto [end, error] =
            std::from_chars(word.data(), word.data() + word.size(), fields[count]);
        if (error != std::errc{} || end != word.data() + word.size() ||
            !std::isfinite(fields[count]))
            return fail(EINVAL, "field {}: '{}' is not a number", count, word);
    }
    if (count != field_count)
        return fail(EINVAL, "{} fields, a job has {}", count, field_count);
    return fields;
}

Result<void> check_range(const Fields& fields) {
    if (fields[number] < 0 || fields[number] > largest)
        return fail(EINVAL, "field 1: job number {} is not allowed", fields[number]);
    if (fields[submit] < 0 || fields[submit] > largest)
        return fail(EINVAL, "field 2: submit time {} is not allowed", fields[submit]);
    for (const int field : {run_time, allocated, asked, time_limit})
        if (fields[static_cast<std::size_t>(field)] > largest)
            return fail(EINVAL, "field {}: {} is too large", field,
                        fields[static_cast<std::size_t>(field)]);
    if (std::max(fields[allocated], fields[asked]) > 0x7FFFFFFF)
        return fail(EINVAL, "{} processors are too many",
                    std::max(fields[allocated], fields[asked]));
    return {};
}

ResourceRequest request_of(std::uint32_t processors, const ProcessorMapping& mapping) {
    if (!mapping.whole_nodes) return {0, processors, 1, 0, false};
    const std::uint32_t nodes = (processors - 1) / mapping.cores_per_node + 1;
    return {nodes, nodes, mapping.cores_per_node, 0, true};
}

/// "; MaxNodes: 128" gives 128.
void read_header(std::string_view line, TraceMachine& machine) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    std::string_view key = line.substr(1, colon - 1), value = line.substr(colon + 1);
    key.remove_prefix(std::min(key.find_first_not_of(" ;\t"), key.size()));
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    std::uint64_t count = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), count).ec != std::errc{}) return;
    if (key == "MaxNodes") machine.nodes = count;
    if (key == "MaxProcs") machine.cores = count;
}

}  // namespace

TraceMachine swf_machine(std::string_view text) {
    TraceMachine machine;
    while (text.starts_with(';')) read_header(take_line(text), machine);
    return machine;
}

Result<Workload> parse_swf(std::string_view text, const ProcessorMapping& mapping) {
    Workload workload;
    workload.machine = swf_machine(text);
    for (std::size_t line_number = 1; !text.empty(); ++line_number) {
        const std::string_view line = take_line(text);
        if (line.find_first_not_of(" \t") == std::string_view::npos || line[0] == ';') continue;
        auto fields = parse_fields(line);
        if (!fields) return fields.error().in(fmt::format("line {}", line_number));
        if (const auto fits = check_range(*fields); !fits)
            return fits.error().in(fmt::format("line {}", line_number));
        const Fields& job = *fields;
        const double processors = job[asked] > 0 ? job[asked] : job[allocated];
        if (processors < 1 || job[run_time] < 0) {  // cancelled before it started
            ++workload.skipped;
            continue;
        }
        SimJob& entry = workload.jobs.emplace_back();
        entry.number = static_cast<std::uint64_t>(job[number]);
        entry.submit = job[submit];
        entry.runtime = job[run_time];
        entry.request.priority = 16;
        entry.request.request = request_of(static_cast<std::uint32_t>(processors), mapping);
        entry.request.duration =
            job[time_limit] > 0 ? job[time_limit] : std::max(job[run_time], 1.0);
    }
    std::ranges::stable_sort(workload.jobs, {}, &SimJob::submit);
    return workload;
}

}  // namespace sluice
