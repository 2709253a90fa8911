// The three services over one KVS: content.*, kvs.* and kvs-watch.*, made together in kvs.cpp.
#pragma once

#include <memory>

#include "broker/kvs/namespaces.hpp"
#include "broker/service/service.hpp"

namespace sluice {

std::unique_ptr<Service> make_content_service(Router& router, ContentCache& content);
/// Sets `on_change` to what must hear of each change of a namespace.
std::unique_ptr<Service> make_kvs_watch_service(Router& router, KvsNamespaces& kvs,
                                                KvsNamespaces::OnChange& on_change);

}  // namespace sluice
