#include "cmd/options/file_loader.hpp"

#include <cstring>

namespace sluice {

Error file_error(int errnum, const std::string& path) {
    return fail(errnum, "[Errno {}] {}: '{}'", errnum, std::strerror(errnum), path);
}

}  // namespace sluice
