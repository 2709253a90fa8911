// The service job-ingest (wire.md 2.2).
#pragma once

#include "broker/service/job_pipeline.hpp"
#include "broker/service/service.hpp"

namespace sluice {

class JobIngestService : public RpcService<JobIngestService> {
  public:
    static const RpcTable<JobIngestService> rpcs;
    explicit JobIngestService(JobPipeline& pipeline);

  private:
    void submit(Request request, const JsonObject& payload);
    void getinfo(Request request, const JsonObject& payload);

    JobPipeline& pipeline_;
};

}  // namespace sluice
