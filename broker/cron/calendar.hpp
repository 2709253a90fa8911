// When a cron entry of type "datetime" is due: sets of seconds, minutes, hours, days, months, years
// and weekdays, each written as in crontab(5) ("*", "5", "1-5", "*/10", "mon,fri"). Local time.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

class CronCalendar {
  public:
    /// From {"minute": "*/5", "hour": 3, …}; a field left out is every value, "second" is 0.
    /// Errors: EINVAL naming the field.
    static Result<CronCalendar> from_json(const JsonObject& fields);
    /// Each field's values as an idset.
    JsonObject to_json() const;

    /// The first moment after `time` (seconds since the epoch) that is in every set; nothing when
    /// there is none within the years known.
    std::optional<double> next(double time) const;

    static constexpr std::size_t fields = 7;

  private:
    enum Field : std::size_t { second, minute, hour, mday, month, year, weekday };
    bool has(Field field, int value) const { return values_[field].contains(value); }

    std::array<std::set<int>, fields> values_;
};

}  // namespace sluice
