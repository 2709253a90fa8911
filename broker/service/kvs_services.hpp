// The services over one KVS: kvs.* and kvs-watch.*, made together in kvs.cpp.
#pragma once

#include <memory>

#include "broker/content/content.hpp"
#include "broker/kvs/namespaces.hpp"
#include "broker/service/service.hpp"

namespace sluice {

using OnKvsChange = KvsNamespaces::OnChange;

/// Sets `on_change` to what must hear of each change of a namespace.
std::unique_ptr<Service> make_kvs_watch_service(Router& router, KvsNamespaces& kvs,
                                                Content& content, OnKvsChange& on_change);

}  // namespace sluice
