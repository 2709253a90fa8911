// The part "jobs" of rank 0: the store, the pipeline, and the services in front of it.
#include "broker/parts.hpp"
#include "broker/service/content.hpp"
#include "broker/service/job_exec.hpp"
#include "broker/service/job_info.hpp"
#include "broker/service/job_ingest.hpp"
#include "broker/service/job_list.hpp"
#include "broker/service/job_manager.hpp"
#include "broker/service/job_pipeline.hpp"

namespace sluice {
namespace {

struct JobsPart {
    explicit JobsPart(std::unique_ptr<JobPipeline> p)
        : pipeline(std::move(p)),
          ingest(*pipeline),
          manager(*pipeline),
          info(*pipeline),
          list(*pipeline),
          exec(*pipeline) {}
    std::unique_ptr<JobPipeline> pipeline;
    JobIngestService ingest;
    JobManagerService manager;
    JobInfoService info;
    JobListService list;
    JobExecService exec;
};

}  // namespace

Result<Part> make_jobs(BrokerContext& context) {
    SLUICE_TRY(auto pipeline, JobPipeline::open(context, *context.content->store));
    return Part{std::make_shared<JobsPart>(std::move(pipeline))};
}

}  // namespace sluice
