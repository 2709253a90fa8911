// The commands of flux-archive, a program of its own: what archives need is not loaded by `flux`.
#pragma once

namespace sluice {

int run_dump(int argc, char** argv);
int run_restore(int argc, char** argv);

}  // namespace sluice
