#include "shell/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rfc/fluid.hpp"

namespace sluice::shell {
namespace {

using testing::Contains;
using testing::Not;
using testing::StartsWith;

class TaskEnvironmentTest : public testing::Test {
  protected:
    TaskEnvironmentTest() {
        info.id = JobId{64927825920};
        info.uri = "local:///run/local";
        info.jobid_path = "/";
        info.hostname = "n1";
        set_path(info.jobspec.json, "attributes.system.environment",
                 JsonObject{{"PATH", "/bin"},
                            {"HOSTNAME", "login"},
                            {"FLUX_PROXY_REMOTE", "x"},
                            {"LD_LIBRARY_PATH", "/opt/lib"}});
    }
    std::vector<std::string> build(TaskEnvironment task = {}) {
        const Environment shared =
            job_environment(info, options, {"/run/job", "/lib/flux/libpmi.so", 4});
        return task_environment(shared, options, {}, task, 4);
    }
    LaunchInfo info;
    ShellOptions options;
};

TEST_F(TaskEnvironmentTest, DescribesTheJob) {
    const auto env = build({3, 1, 9, "0"});
    const std::string id = to_f58(info.id);
    for (const std::string& entry :
         {std::string{"PATH=/bin"}, "FLUX_JOB_ID=" + id, "FLUX_JOB_ID_PATH=/" + id,
          std::string{"FLUX_JOB_SIZE=4"}, std::string{"FLUX_TASK_RANK=3"},
          std::string{"FLUX_TASK_LOCAL_ID=1"}, std::string{"FLUX_JOB_TMPDIR=/run/job"},
          std::string{"FLUX_KVS_NAMESPACE=job-64927825920"}, std::string{"HOSTNAME=n1"},
          std::string{"PMI_FD=9"}, std::string{"PMI_RANK=3"}, std::string{"PMI_SIZE=4"},
          std::string{"FLUX_PMI_LIBRARY_PATH=/lib/flux/libpmi.so"},
          std::string{"LD_LIBRARY_PATH=/lib/flux:/opt/lib"}, std::string{"CUDA_VISIBLE_DEVICES=0"},
          std::string{"CUDA_DEVICE_ORDER=PCI_BUS_ID"},
          std::string{"OMPI_MCA_btl_vader_backing_directory=/run/job"}})
        EXPECT_THAT(env, Contains(entry));
    EXPECT_THAT(env, Not(Contains(StartsWith("FLUX_PROXY_REMOTE"))));
}

TEST_F(TaskEnvironmentTest, NumbersTheDevicesOfHipAmongThoseOfRocr) {
    const auto env = build({0, 0, -1, "2,5,6"});
    EXPECT_THAT(env, Contains("CUDA_VISIBLE_DEVICES=2,5,6"));
    EXPECT_THAT(env, Contains("ROCR_VISIBLE_DEVICES=2,5,6"));
    EXPECT_THAT(env, Contains("HIP_VISIBLE_DEVICES=0,1,2"));
    const auto none = build({0, 0, -1, "-1"});
    EXPECT_THAT(none, Contains("ROCR_VISIBLE_DEVICES=-1"));
    EXPECT_THAT(none, Contains("HIP_VISIBLE_DEVICES=-1"));
}

TEST_F(TaskEnvironmentTest, LeavesOutWhatIsOff) {
    options.pmi = false;
    options.mpi_none = true;
    const auto env = build();
    for (const char* name : {"PMI_", "FLUX_PMI_LIBRARY_PATH", "OMPI_", "CUDA_"})
        EXPECT_THAT(env, Not(Contains(StartsWith(name))));
    EXPECT_THAT(env, Contains("LD_LIBRARY_PATH=/opt/lib"));
}

TEST_F(TaskEnvironmentTest, ExpandsTemplates) {
    options.env_expand["X"] = "{{size}} {{nosuch}}";
    EXPECT_THAT(build(), Contains("X=1 {{nosuch}}"));
}

}  // namespace
}  // namespace sluice::shell
