#include "cmd/format/job_formats.hpp"

namespace sluice {

namespace {

const std::string who = "{id.f58:>12} ?:{queue:<8.8} +:{username:<8} {name:<10.10+} ";
const std::string sizes = "{ntasks:>6} {nnodes:>6h} ";
const std::string context = "{contextual_time!F:>8h} {contextual_info}";

const std::string full = who + "{status_abbrev:>2.2} " + sizes + context;
const std::string cute = who + "{status_emoji:>5.5} " + sizes + context;
const std::string long_format =
    who + "{status:>9.9} " + sizes + "{t_submit!d:%b%d %R::>12} {t_remaining!F:>12h} " + context;
const std::string deps =
    "{id.f58:>12} ?:{queue:<8.8} {name:<10.10+} {urgency:<3} {priority:<12} {state:<8.8} "
    "{dependencies}";
const std::string endreason =
    who + "{status_abbrev:>2.2} {t_inactive!d:%b%d %R::>12h} {inactive_reason}";

}  // namespace

FormatCatalog jobs_formats() {
    return {"flux-jobs",
            "flux-jobs",
            "",
            "FLUX_JOBS_FORMAT_DEFAULT",
            {{"default", "Default flux-jobs format string", full},
             {"cute", "Cute flux-jobs format string (default with emojis)", cute},
             {"long", "Extended flux-jobs format string", long_format},
             {"deps", "Show job urgency, priority, and dependencies", deps},
             {"endreason", "Show why each job ended", endreason}}};
}

FormatCatalog pgrep_formats() {
    return {"flux-pgrep",
            "flux-jobs",
            "",
            "FLUX_PGREP_FORMAT_DEFAULT",
            {{"default", "Default flux-pgrep format string", "{id.f58}"},
             {"full", "The format of flux jobs", full},
             {"long", "Extended flux-jobs format string", long_format},
             {"deps", "Show job urgency, priority, and dependencies", deps}}};
}

}  // namespace sluice
