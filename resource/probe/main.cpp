// flux-probe [XML]: prints what this node (or the machine that an hwloc file describes) has, as
// {"cores": IDSET, "gpus": IDSET}. A program of its own, so that only who asks loads hwloc.
#include <cstdio>

#include "base/json.hpp"
#include "resource/probe/hwloc_probe.hpp"

int main(int argc, char** argv) {
    const auto node = sluice::probe_node({.xml_path = argc > 1 ? argv[1] : ""});
    if (!node) {
        std::fprintf(stderr, "flux-probe: %s\n", node.error().text().c_str());
        return 1;
    }
    const sluice::JsonObject found{{"cores", node->cores.to_string()},
                                   {"gpus", node->gpus.to_string()}};
    std::puts(sluice::dump_json(found).c_str());
    return 0;
}
