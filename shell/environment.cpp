#include "shell/environment.hpp"

#include <algorithm>

#include "base/rfc/fluid.hpp"

namespace sluice::shell {
namespace {

/// CUDA and ROCr count the devices of the node. HIP counts those that ROCr left, from 0.
void set_gpu_variables(Environment& env, const std::string& devices) {
    env["CUDA_VISIBLE_DEVICES"] = devices;
    env.try_emplace("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    env["ROCR_VISIBLE_DEVICES"] = devices;
    std::string& hip = env["HIP_VISIBLE_DEVICES"];
    hip = devices;
    if (devices == "-1") return;
    hip = "0";
    const auto others = std::ranges::count(devices, ',');
    for (std::ptrdiff_t i = 1; i <= others; ++i) hip += fmt::format(",{}", i);
}

/// What Spectrum MPI needs to run without its own launcher.
void set_spectrum_variables(Environment& env) {
    env["OMPI_MCA_osc"] = "pt2pt";
    env["OMPI_MCA_pml"] = "yalla";
    env["OMPI_MCA_btl"] = "self";
    env["OMPI_MCA_coll_hcoll_enable"] = "0";
}

}  // namespace

Environment job_environment(const LaunchInfo& info, const ShellOptions& options,
                            const JobEnvironment& job) {
    Environment env;
    for (const auto& variable : info.jobspec.environment())
        if (variable.value().is_string())
            env[variable.key()] = std::string(variable.value().get_string());
    env.erase("FLUX_PROXY_REMOTE");
    const std::string id = to_f58(info.id);
    env["FLUX_JOB_ID"] = id;
    env["FLUX_JOB_ID_PATH"] =
        fmt::format("{}{}{}", info.jobid_path, info.jobid_path.ends_with('/') ? "" : "/", id);
    env["FLUX_JOB_SIZE"] = std::to_string(job.ntasks);
    env["FLUX_JOB_NNODES"] = std::to_string(info.nnodes);
    env["FLUX_JOB_TMPDIR"] = job.tmpdir;
    env["FLUX_URI"] = info.uri;
    env["FLUX_KVS_NAMESPACE"] = fmt::format("job-{}", info.id.value);
    env["FLUX_TERMINUS_SESSION"] = std::to_string(0);
    if (auto hostname = env.find("HOSTNAME"); hostname != env.end())
        hostname->second = info.hostname;
    if (!options.mpi_none) env["OMPI_MCA_btl_vader_backing_directory"] = job.tmpdir;
    if (options.mpi_spectrum) set_spectrum_variables(env);
    if (options.pmi) {
        env["FLUX_PMI_LIBRARY_PATH"] = job.pmi_library;
        std::string folder = job.pmi_library.substr(0, job.pmi_library.rfind('/'));
        const auto path = env.find("LD_LIBRARY_PATH");
        if (path != env.end() && !path->second.empty())
            folder = fmt::format("{}:{}", folder, path->second);
        env["LD_LIBRARY_PATH"] = std::move(folder);
    }
    return env;
}

std::vector<std::string> task_environment(Environment shared, const ShellOptions& options,
                                          const MustacheValues& values, const TaskEnvironment& task,
                                          std::uint32_t ntasks) {
    Environment& env = shared;
    env["FLUX_TASK_RANK"] = std::to_string(task.rank);
    env["FLUX_TASK_LOCAL_ID"] = std::to_string(task.localid);
    if (task.pmi_fd >= 0) {
        env["PMI_FD"] = std::to_string(task.pmi_fd);
        env["PMI_RANK"] = std::to_string(task.rank);
        env["PMI_SIZE"] = std::to_string(ntasks);
    }
    if (options.mpi_spectrum) env["OMPI_COMM_WORLD_RANK"] = std::to_string(task.rank);
    if (!task.gpu_devices.empty()) set_gpu_variables(env, task.gpu_devices);
    for (const auto& [name, text] : options.env_expand) env[name] = render(text, values);
    std::vector<std::string> entries;
    entries.reserve(env.size());
    for (const auto& [name, value] : env) entries.push_back(fmt::format("{}={}", name, value));
    return entries;
}

}  // namespace sluice::shell
