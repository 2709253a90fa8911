// Short ways to make graphs and requests in tests.
#pragma once

#include <memory>
#include <string>

#include "resource/search/scheduler.hpp"
#include "resource/writer/placement_writer.hpp"

namespace sluice::test {

struct Shape {
    std::uint32_t racks = 1, nodes = 2, sockets = 2, cores = 4, gpus = 1, memory = 2;
};

/// Adds a vertex below another; ids count on within a node.
inline VertexId below(TypedGraph& graph, std::optional<VertexId> above, std::string_view type,
                      std::int64_t id, std::int64_t rank = -1, std::uint64_t size = 1) {
    Vertex vertex;
    vertex.type = vertex.basename = graph.intern(type);
    vertex.name = std::string{type} + std::to_string(id);
    vertex.id = id;
    vertex.rank = rank;
    vertex.size = size;
    vertex.paths[graph.intern(containment)] =
        (above ? graph[*above].paths.at(containment) : "") + "/" + vertex.name;
    const VertexId made = *graph.add(std::move(vertex));
    if (above) (void)graph.connect(*above, made, containment);
    return made;
}

/// cluster > rack > node > socket > core, gpu, memory (2 GB each).
inline std::unique_ptr<TypedGraph> machine(const Shape& shape) {
    auto graph = std::make_unique<TypedGraph>();
    const VertexId cluster = below(*graph, std::nullopt, "cluster", 0);
    std::int64_t rank = 0;
    for (std::uint32_t r = 0; r < shape.racks; ++r) {
        const VertexId rack = below(*graph, cluster, "rack", r);
        for (std::uint32_t n = 0; n < shape.nodes; ++n, ++rank) {
            const VertexId node = below(*graph, rack, "node", rank, rank);
            for (std::uint32_t s = 0; s < shape.sockets; ++s) {
                const VertexId socket = below(*graph, node, "socket", s, rank);
                for (std::uint32_t i = 0; i < shape.cores; ++i)
                    below(*graph, socket, "core", s * shape.cores + i, rank);
                for (std::uint32_t i = 0; i < shape.gpus; ++i)
                    below(*graph, socket, "gpu", s * shape.gpus + i, rank);
                for (std::uint32_t i = 0; i < shape.memory; ++i)
                    below(*graph, socket, "memory", s * shape.memory + i, rank, 2);
            }
        }
    }
    return graph;
}

inline Request want(std::string type, std::uint64_t count, std::vector<Request> with = {}) {
    Request request;
    request.label = type == "slot" ? "task" : "";
    request.type = std::move(type);
    request.count.min = request.count.max = count;
    request.with = std::move(with);
    return request;
}

inline JobRequest job(std::vector<Request> resources, double duration = 60) {
    JobRequest job;
    job.resources = std::move(resources);
    job.duration = duration;
    return job;
}

inline std::unique_ptr<GraphScheduler> scheduler(const Shape& shape, std::string_view policy,
                                                 bool prune = true) {
    GraphScheduler::Options options;
    options.policy = *MatchPolicy::parse(policy);
    options.prune = prune;
    return *GraphScheduler::make(machine(shape), std::move(options));
}

inline std::string text(const GraphScheduler& scheduler, const MatchAnswer& answer,
                        PlacementFormat format = PlacementFormat::simple) {
    return write_placement(scheduler.graph(), answer.placement, format);
}

}  // namespace sluice::test
