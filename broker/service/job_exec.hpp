// The service job-exec: what launchers and shells tell the exec manager (broker/exec/protocol.hpp).
#pragma once

#include "broker/service/job_info.hpp"
#include "broker/service/job_pipeline.hpp"
#include "broker/service/service.hpp"

namespace sluice {

class JobExecService : public RpcService<JobExecService> {
  public:
    static const RpcTable<JobExecService> rpcs;
    JobExecService(JobPipeline& pipeline, JobInfoService& info);

  private:
    void report(Request request, const JsonObject& payload);
    void append(Request request, const JsonObject& payload);
    void shell_barrier(Request request, const JsonObject& payload);
    void critical_ranks(Request request, const JsonObject& payload);
    void on_disconnect(const Request& request) override;

    JobPipeline& pipeline_;
    JobInfoService& info_;
};

}  // namespace sluice
