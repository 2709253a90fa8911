// RFC 19 - FLUIDs (job ids): 40 bits of milliseconds, 14 bits of generator id, 10 bits of sequence,
// and their spellings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/strong_id.hpp"

namespace sluice {

enum class FluidForm { dec, hex, dothex, kvs, f58, f58plain };

/// `f58` gives "ƒ…", or "f…" when the locale is not UTF-8 or FLUX_F58_FORCE_ASCII is set.
std::string fluid_encode(JobId id, FluidForm form);
/// Any of these spellings, 0x hex in either case, with "job." in front or not. The words and emoji
/// of RFC 19 are refused: their tables belong to the reference.
/// Errors: EINVAL naming the text.
Result<JobId> fluid_decode(std::string_view text);
/// "dec", "f58", … as `flux job id --to` names them.
std::optional<FluidForm> fluid_form(std::string_view name);

inline std::string to_f58(JobId id) { return fluid_encode(id, FluidForm::f58); }
inline std::string to_f58plain(JobId id) { return fluid_encode(id, FluidForm::f58plain); }
inline std::string to_dothex(JobId id) { return fluid_encode(id, FluidForm::dothex); }

/// Makes FLUIDs; pure, the caller gives the time.
class FluidGenerator {
  public:
    /// `start`: the id after which to go on (a restarted instance), 0 for a new one.
    FluidGenerator(std::uint32_t generator, JobId start, std::uint64_t now_ms);
    /// A new id, or nullopt when this millisecond's 1023 are used: try again in the next.
    std::optional<JobId> next(std::uint64_t now_ms);

  private:
    std::uint64_t generator_, offset_ms_, start_ms_;
    std::uint64_t last_ms_ = 0;
    std::uint32_t sequence_ = 0;
};

}  // namespace sluice
