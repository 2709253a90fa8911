// RFC 43 - constraints of job listings.
#include "broker/jobs/job_filter.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    const auto json = parse_json(text);
    if (!json) return;
    const auto filter = JobFilter::from_json(*json);
    if (!filter) return;
    Job job;
    job.name = "sleep";
    job.queue = "batch";
    job.nodelist = "node[0-3]";
    job.state = JobState::run;
    SLUICE_ASSERT(filter->matches(job) == filter->matches(job));
}
