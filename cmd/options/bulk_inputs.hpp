// The inputs of bulksubmit: lists after ":::" and "::::", combined or linked, and what {fields} of
// them stand for (cli.md 2.3).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cmd/options/fan_out.hpp"

namespace sluice {

/// One input from each list.
using InputTuple = std::vector<std::string>;

struct BulkLine {
    std::vector<std::string> command;
    std::vector<InputTuple> tuples;
};

/// Items of a file ("-" is standard input).
using ItemReader = std::function<Result<std::vector<std::string>>(const std::string& path)>;

/// Words up to the first ":::" or "::::" are the command, "{}" when there are none; without inputs
/// they are read from standard input.
/// Errors: EINVAL, or what `read` fails with.
Result<BulkLine> parse_bulk_line(const std::vector<std::string>& words, const ItemReader& read);

/// `content` split at `separator` ("none": at blanks), empty items left out.
std::vector<std::string> split_items(std::string_view content, std::string_view separator);

/// Values of --define by name, then by input.
using DefinedValues = std::map<std::string, std::map<std::string, std::string>, std::less<>>;
/// Fields of one tuple: {}, {0}, {1}, each with an operator after a dot; {seq}, {seq1}; {cc} stays.
LookupMaker input_lookups(const InputTuple& tuple, std::size_t sequence,
                          const DefinedValues& defined);

}  // namespace sluice
