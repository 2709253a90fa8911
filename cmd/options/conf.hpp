// Configuration of a new instance from --conf: TOML or JSON texts, files, KEY=VALUE pairs and named
// configurations, merged in order (cli.md 2.3).
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "cmd/options/environment.hpp"
#include "cmd/options/file_loader.hpp"

namespace sluice {

/// The merged configuration, null when `arguments` is empty. `environment` tells where named
/// configurations are (XDG_CONFIG_HOME, XDG_CONFIG_DIRS, HOME).
/// Errors: EINVAL naming the argument, or the errno of a file.
Result<Json> build_conf(const std::vector<std::string>& arguments,
                        const EnvironmentList& environment, const FileLoader& load);
/// The entry of "conf.json" among the jobspec's files.
JsonObject conf_file(Json conf);

}  // namespace sluice
