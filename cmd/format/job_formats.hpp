// The named formats built into flux jobs and flux pgrep.
#pragma once

#include "cmd/format/named_formats.hpp"

namespace sluice {

FormatCatalog jobs_formats();
FormatCatalog pgrep_formats();

}  // namespace sluice
