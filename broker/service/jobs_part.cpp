// The part "jobs" of rank 0: the store, the pipeline, and the services in front of it.
#include "broker/log/logger.hpp"
#include "broker/parts.hpp"
#include "broker/service/content.hpp"
#include "broker/service/job_exec.hpp"
#include "broker/service/job_import.hpp"
#include "broker/service/job_info.hpp"
#include "broker/service/job_ingest.hpp"
#include "broker/service/job_list.hpp"
#include "broker/service/job_manager.hpp"
#include "broker/service/job_mount.hpp"
#include "broker/service/job_pipeline.hpp"

namespace sluice {
namespace {

struct JobsPart {
    JobsPart(std::unique_ptr<JobPipeline> p, KvsCommits& kvs)
        : pipeline(std::move(p)),
          mount(*pipeline, kvs, kvs.namespaces()),
          ingest(*pipeline),
          manager(*pipeline),
          info(*pipeline),
          list(*pipeline),
          exec(*pipeline, info) {}
    std::unique_ptr<JobPipeline> pipeline;
    JobMount mount;
    JobIngestService ingest;
    JobManagerService manager;
    JobInfoService info;
    JobListService list;
    JobExecService exec;
};

}  // namespace

Result<Part> make_jobs(BrokerContext& context) {
    SqliteStore& store = *context.content->store;
    if (context.content->restored) {
        SLUICE_TRY(const std::size_t count, import_jobs(store));
        context.log.info("job-manager", "{} jobs restored from the archive", count);
    }
    SLUICE_TRY(auto pipeline, JobPipeline::open(context, store));
    return Part{std::make_shared<JobsPart>(std::move(pipeline), *context.kvs)};
}

}  // namespace sluice
