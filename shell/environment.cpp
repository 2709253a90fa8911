#include "shell/environment.hpp"

#include "base/rfc/fluid.hpp"

namespace sluice::shell {

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
    if (!task.gpu_devices.empty()) {
        env["CUDA_VISIBLE_DEVICES"] = task.gpu_devices;
        env.try_emplace("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    }
    for (const auto& [name, text] : options.env_expand) env[name] = render(text, values);
    std::vector<std::string> entries;
    entries.reserve(env.size());
    for (const auto& [name, value] : env) entries.push_back(fmt::format("{}={}", name, value));
    return entries;
}

}  // namespace sluice::shell
