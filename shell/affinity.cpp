#include "shell/affinity.hpp"

#include <algorithm>
#include <charconv>

namespace sluice::shell {
namespace {

/// "0x2f", or words of 32 bits with the highest first, as hwloc writes them: "0x1,0x0000000f".
Result<Idset> parse_mask(std::string_view text) {
    constexpr std::size_t bits_of_word = 32, bits_of_digit = 4;
    Idset set;
    std::string_view words = text;
    for (std::uint32_t base = 0; !words.empty(); base += bits_of_word) {
        const std::size_t comma = words.rfind(',');
        std::string_view digits = words.substr(comma == words.npos ? 0 : comma + 1);
        words = words.substr(0, comma == words.npos ? 0 : comma);
        if (digits.starts_with("0x")) digits.remove_prefix(2);
        for (std::uint32_t bit = base; !digits.empty(); bit += bits_of_digit) {
            unsigned value = 0;
            const char* digit = &digits.back();
            if (std::from_chars(digit, digit + 1, value, 16).ec != std::errc{})
                return fail(EINVAL, "'{}' is no mask", text);
            for (std::uint32_t i = 0; i < bits_of_digit; ++i)
                if (value & (1u << i)) set.insert(bit + i);
            digits.remove_suffix(1);
        }
    }
    return set;
}

Result<std::vector<Idset>> parse_map(std::string_view text) {
    std::vector<Idset> sets;
    while (true) {
        const std::size_t end = std::min(text.find(';'), text.size());
        const std::string_view entry = text.substr(0, end);
        SLUICE_TRY(Idset set, entry.starts_with("0x") ? parse_mask(entry) : Idset::parse(entry));
        if (set.empty()) return fail(EINVAL, "empty set in '{}'", text);
        sets.push_back(std::move(set));
        if (end == text.size()) return sets;
        text.remove_prefix(end + 1);
    }
}

/// Shares `items` out: the first size%n tasks get one more; with fewer items than tasks, tasks
/// share them in turn.
std::vector<Idset> distribute(const Idset& items, std::size_t ntasks) {
    const std::vector<Idset::Id> all = items.to_vector();
    std::vector<Idset> shares(ntasks);
    if (all.empty() || ntasks == 0) return shares;
    if (all.size() < ntasks) {
        for (std::size_t i = 0; i < ntasks; ++i) shares[i].insert(all[i * all.size() / ntasks]);
        return shares;
    }
    auto next = all.begin();
    for (std::size_t i = 0; i < ntasks; ++i) {
        std::size_t count = all.size() / ntasks + (i < all.size() % ntasks ? 1 : 0);
        for (; count > 0; --count) shares[i].insert(*next++);
    }
    return shares;
}

Idset cpus_of(const Idset& cores, const std::vector<Idset>& pus_of_core) {
    Idset cpus;
    for (const Idset::Id core : cores)
        if (core < pus_of_core.size()) cpus |= pus_of_core[core];
    return cpus;
}

std::string join(const Idset& ids) {
    std::string out;
    for (const Idset::Id id : ids) {
        if (!out.empty()) out += ',';
        out += std::to_string(id);
    }
    return out.empty() ? "-1" : out;
}

}  // namespace

Result<AffinityOptions> parse_affinity(std::string_view option, std::string_view text) {
    AffinityOptions options;
    const std::string_view whole = text;
    while (true) {
        if (text.starts_with("verbose,")) {
            options.verbose = true;
            text.remove_prefix(8);
        } else if (text.starts_with("dry-run,")) {
            options.verbose = options.dry_run = true;
            text.remove_prefix(8);
        } else {
            break;
        }
    }
    if (text == "verbose") {
        options.verbose = true;
    } else if (text == "dry-run") {
        options.verbose = options.dry_run = true;
    } else if (text == "on" || text == "1" || text == "true") {
        options.mode = AffinityOptions::Mode::on;
    } else if (text == "off" || text == "0" || text == "false") {
        options.mode = AffinityOptions::Mode::off;
    } else if (text == "per-task") {
        options.mode = AffinityOptions::Mode::per_task;
    } else if (text.starts_with("map:")) {
        options.mode = AffinityOptions::Mode::map;
        auto map = parse_map(text.substr(4));
        if (!map) return map.error().in(fmt::format("{}={}", option, whole));
        options.map = *std::move(map);
    } else {
        return fail(EINVAL, "{}: found '{}', expected on, off, per-task or map:LIST", option,
                    whole);
    }
    return options;
}

std::vector<Idset> assign_cpus(const AffinityOptions& options, const Idset& cores,
                               const std::vector<Idset>& pus_of_core, std::size_t ntasks) {
    std::vector<Idset> sets(ntasks);
    switch (options.mode) {
        case AffinityOptions::Mode::off:
            break;
        case AffinityOptions::Mode::on: {
            const Idset cpus = cpus_of(cores, pus_of_core);
            std::ranges::fill(sets, cpus);
            break;
        }
        case AffinityOptions::Mode::per_task: {
            const std::vector<Idset> shares = distribute(cores, ntasks);
            for (std::size_t i = 0; i < ntasks; ++i) sets[i] = cpus_of(shares[i], pus_of_core);
            break;
        }
        case AffinityOptions::Mode::map:
            for (std::size_t i = 0; i < ntasks; ++i) sets[i] = options.map[i % options.map.size()];
            break;
    }
    return sets;
}

std::vector<std::string> assign_gpus(const AffinityOptions& options, const Idset& gpus,
                                     std::size_t ntasks) {
    std::vector<std::string> devices;
    switch (options.mode) {
        case AffinityOptions::Mode::off:
            break;
        case AffinityOptions::Mode::on:
            devices.assign(ntasks, join(gpus));
            break;
        case AffinityOptions::Mode::per_task:
            for (const Idset& share : distribute(gpus, ntasks)) devices.push_back(join(share));
            break;
        case AffinityOptions::Mode::map:
            for (std::size_t i = 0; i < ntasks; ++i)
                devices.push_back(join(options.map[i % options.map.size()]));
            break;
    }
    return devices;
}

}  // namespace sluice::shell
