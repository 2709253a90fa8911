// The service job-ingest (wire.md 2.2).
#pragma once

#include "broker/jobs/validators.hpp"
#include "broker/router/rpc_client.hpp"
#include "broker/service/job_pipeline.hpp"
#include "broker/service/service.hpp"

namespace sluice {

class JobIngestService : public RpcService<JobIngestService> {
  public:
    static const RpcTable<JobIngestService> rpcs;
    explicit JobIngestService(JobPipeline& pipeline);

  private:
    JsonObject stats() const override;
    void submit(Request request, const JsonObject& payload);
    /// What the validators of the configuration say, then accept.
    void validate(const Request& request, JobPipeline::Submission submission,
                  const Validators& validators);
    void accept(const Request& request, JobPipeline::Submission submission);
    void getinfo(Request request, const JsonObject& payload);

    JobPipeline& pipeline_;
    RpcClient rpc_;
    std::int64_t requests_ = 0, refused_ = 0;
};

}  // namespace sluice
