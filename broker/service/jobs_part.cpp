// The part "jobs" of rank 0: the store, the pipeline, and the services in front of it.
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "broker/config/attributes.hpp"
#include "broker/service/job_pipeline.hpp"
#include "broker/parts.hpp"
#include "broker/service/job_exec.hpp"
#include "broker/service/job_info.hpp"
#include "broker/service/job_ingest.hpp"
#include "broker/service/job_list.hpp"
#include "broker/service/job_manager.hpp"

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

/// A statedir of the user's outlives us and power failures; one of our own does not, so its
/// contents may as well be in the rundir, and what an earlier broker left there is not ours.
SqliteStore::Options store_options(const BrokerContext& context) {
    const bool temporary = context.attributes.get_or("statedir-cleanup", "0") == "1" ||
                           context.statedir.empty();
    const std::string& folder = temporary ? context.rundir : context.statedir;
    const std::string path = folder + "/content.sqlite";
    if (temporary)
        for (const char* suffix : {"", "-wal", "-shm"}) ::unlink((path + suffix).c_str());
    return {path, !temporary};
}

}  // namespace

Result<Part> make_jobs(BrokerContext& context) {
    SLUICE_TRY(auto store, SqliteStore::open(store_options(context),
                                             [&io = context.io](std::function<void()> work) {
                                                 boost::asio::post(io, std::move(work));
                                             }));
    SLUICE_TRY(auto pipeline, JobPipeline::open(context, std::move(store)));
    return Part{std::make_shared<JobsPart>(std::move(pipeline))};
}

}  // namespace sluice
