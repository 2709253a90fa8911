// What `flux cron` sends: requests of cron.create made from the words of a command line or of a
// crontab line, and the options that all of them share. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

/// {"minute", "hour", "mday", "month", "weekday"} of a crontab(5) line, whose months begin with 1,
/// and the command behind them. Comments are cut off; an empty line gives an empty command.
/// Errors: EINVAL naming the line.
struct CrontabLine {
    JsonObject fields;
    std::string command;
};
Result<CrontabLine> parse_crontab_line(std::string_view line);

/// The calendar of a single moment, in local time.
JsonObject calendar_of(double time);

/// "timeout=5,rank=1" into keys of the request.
/// Errors: EINVAL naming the key and those that are known.
Result<void> add_cron_options(std::string_view text, JsonObject& request);

/// The line of an entry in `flux cron list`; the heading for no entry.
std::string cron_line(const JsonObject& entry, double now);
std::string cron_heading();

/// "key = value" lines, with dots for objects within, each text in quotes.
std::string cron_dump(const JsonObject& entry);

}  // namespace sluice
