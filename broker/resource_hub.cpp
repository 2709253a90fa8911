#include "broker/resource_hub.hpp"

namespace sluice {

std::shared_ptr<ResourceHub> new_resource_hub() { return std::make_shared<ResourceHub>(); }

}  // namespace sluice
