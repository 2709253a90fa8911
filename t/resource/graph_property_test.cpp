// Properties of the general matcher, on seeded random machines, requests and events.
#include <gtest/gtest.h>

#include <random>

#include "t/resource/graph_builders.hpp"

namespace sluice {
namespace {

using test::Shape;
using test::want;
using Random = std::mt19937;

constexpr const char* policies[] = {"first", "firstnodex", "low", "high", "lonode", "hinode",
                                    "lonodex", "hinodex", "locality", "variation"};

std::uint64_t pick(Random& random, std::uint64_t first, std::uint64_t last) {
    return std::uniform_int_distribution<std::uint64_t>(first, last)(random);
}

Shape random_shape(Random& random) {
    Shape shape;
    shape.racks = static_cast<std::uint32_t>(pick(random, 1, 2));
    shape.nodes = static_cast<std::uint32_t>(pick(random, 1, 3));
    shape.sockets = static_cast<std::uint32_t>(pick(random, 1, 2));
    shape.cores = static_cast<std::uint32_t>(pick(random, 1, 4));
    shape.gpus = static_cast<std::uint32_t>(pick(random, 0, 2));
    shape.memory = static_cast<std::uint32_t>(pick(random, 0, 2));
    return shape;
}

/// A request of random nesting; a slot stands somewhere in it.
JobRequest random_job(Random& random) {
    std::vector<Request> parts{want("core", pick(random, 1, 3))};
    if (pick(random, 0, 3) == 0) parts.push_back(want("gpu", 1));
    if (pick(random, 0, 3) == 0) parts.push_back(want("memory", pick(random, 1, 3)));
    if (pick(random, 0, 4) == 0) {
        parts[0].count.max = parts[0].count.min + 3;
        parts[0].count.operand = pick(random, 1, 2);
    }
    Request inside = want("slot", pick(random, 1, 3), std::move(parts));
    switch (pick(random, 0, 4)) {
        case 0: break;
        case 1: inside = want("socket", pick(random, 1, 2), {inside}); break;
        case 2: inside = want("node", pick(random, 1, 2), {inside}); break;
        case 3:
            inside = want("node", pick(random, 1, 2), {want("socket", 1, {inside})});
            inside.exclusive = pick(random, 0, 1) == 1;
            if (inside.exclusive == false) inside.exclusive.reset();
            break;
        case 4:
            inside = want("slot", pick(random, 1, 3),
                          {want(pick(random, 0, 1) ? "node" : "socket", 1)});
            break;
    }
    return test::job({inside}, static_cast<double>(pick(random, 1, 5) * 10));
}

MatchOp random_op(Random& random) {
    return pick(random, 0, 2) ? MatchOp::allocate_orelse_reserve : MatchOp::allocate;
}

struct Held {
    std::int64_t start, end;
    JobKey job;
};
using Holdings = std::map<VertexId, std::vector<Held>>;

/// No vertex that is given whole is given to another job at the same time.
void hold(Holdings& holdings, const Placement& placement, JobKey job) {
    for (const PlacedVertex& placed : placement.vertices) {
        if (!placed.exclusive) continue;
        for (const Held& held : holdings[placed.vertex])
            ASSERT_TRUE(held.end <= placement.start || placement.end <= held.start)
                << "vertex " << placed.vertex << " of jobs " << held.job << " and " << job;
        holdings[placed.vertex].push_back({placement.start, placement.end, job});
    }
}

void let_go(Holdings& holdings, JobKey job) {
    for (auto& [vertex, held] : holdings)
        std::erase_if(held, [&](const Held& one) { return one.job == job; });
}

TEST(GraphProperties, PrunedSearchesFindWhatUnprunedOnesFindAndNothingIsGivenTwice) {
    for (std::uint32_t seed = 1; seed <= 400; ++seed) {
        Random random{seed};
        const Shape shape = random_shape(random);
        const char* policy = policies[seed % std::size(policies)];
        const auto pruned = test::scheduler(shape, policy, true);
        const auto plain = test::scheduler(shape, policy, false);
        Holdings holdings;
        std::vector<JobKey> jobs;
        for (JobKey id = 1; id <= 20; ++id) {
            if (!jobs.empty() && pick(random, 0, 3) == 0) {
                const std::size_t at = pick(random, 0, jobs.size() - 1);
                ASSERT_TRUE(pruned->cancel(jobs[at]));
                ASSERT_TRUE(plain->cancel(jobs[at]));
                let_go(holdings, jobs[at]);
                jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(at));
            }
            if (pick(random, 0, 4) == 0) {
                const std::string node =
                    pruned->graph()[pruned->graph().of_type("node").front()].paths.begin()->second;
                const bool up = pick(random, 0, 1) == 1;
                ASSERT_TRUE(pruned->set_up(node, up));
                ASSERT_TRUE(plain->set_up(node, up));
            }
            const JobRequest job = random_job(random);
            const MatchOp op = random_op(random);
            const auto one = pruned->match(job, op, id), other = plain->match(job, op, id);
            ASSERT_EQ(one.has_value(), other.has_value()) << "seed " << seed << " job " << id;
            if (!one) continue;
            const bool matched = one->kind == MatchAnswer::Kind::matched;
            ASSERT_EQ(matched, other->kind == MatchAnswer::Kind::matched)
                << "seed " << seed << " job " << id << " " << policy;
            ASSERT_EQ(test::text(*pruned, *one), test::text(*plain, *other)) << "seed " << seed;
            ASSERT_EQ(one->at, other->at);
            if (!matched) continue;
            ASSERT_NO_FATAL_FAILURE(hold(holdings, one->placement, id)) << "seed " << seed;
            jobs.push_back(id);
        }
        ASSERT_TRUE(pruned->ledger() == plain->ledger()) << "seed " << seed;
        for (const JobKey id : jobs) ASSERT_TRUE(pruned->cancel(id));
        ASSERT_EQ(pruned->ledger().vertices_in_use(), 0u) << "seed " << seed;
    }
}

TEST(GraphProperties, CancellingRestoresTheLedgerExactly) {
    for (std::uint32_t seed = 1; seed <= 300; ++seed) {
        Random random{seed};
        const Shape shape = random_shape(random);
        // Not the first two, which stop early: they remember where jobs were.
        const char* policy = policies[2 + seed % (std::size(policies) - 2)];
        const auto left = test::scheduler(shape, policy), right = test::scheduler(shape, policy);
        for (JobKey id = 1; id <= 6; ++id) {
            const JobRequest job = random_job(random);
            const MatchOp op = random_op(random);
            (void)left->match(job, op, id);
            (void)right->match(job, op, id);
            const auto extra = left->match(random_job(random), random_op(random), 1000 + id);
            if (extra && extra->kind == MatchAnswer::Kind::matched) {
                ASSERT_TRUE(left->cancel(1000 + id));
            }
            ASSERT_TRUE(left->ledger() == right->ledger()) << "seed " << seed << " job " << id;
        }
    }
}

TEST(GraphProperties, WhatFitsAnEmptyGraphIsGivenAtOnceOrReserved) {
    std::size_t satisfiable = 0;
    for (std::uint32_t seed = 1; seed <= 500; ++seed) {
        Random random{seed};
        const Shape shape = random_shape(random);
        const char* policy = policies[seed % std::size(policies)];
        const JobRequest job = random_job(random);
        const auto busy = test::scheduler(shape, policy);
        for (JobKey id = 1; id <= 8; ++id)
            (void)busy->match(random_job(random), random_op(random), id);
        const auto asked = busy->match(job, MatchOp::satisfiability, 100);
        const bool fits = asked && asked->kind == MatchAnswer::Kind::matched;
        satisfiable += fits;
        const auto now = test::scheduler(shape, policy)->match(job, MatchOp::allocate, 1);
        ASSERT_EQ(now && now->kind == MatchAnswer::Kind::matched, fits)
            << "seed " << seed << " " << policy << (now ? "" : now.error().text());
        const auto some_time = busy->match(job, MatchOp::allocate_orelse_reserve, 100);
        ASSERT_EQ(some_time && some_time->kind == MatchAnswer::Kind::matched, fits)
            << "seed " << seed << " " << policy;
    }
    EXPECT_GT(satisfiable, 100u);
    EXPECT_LT(satisfiable, 500u);
}

TEST(GraphProperties, ShrinkingAndGrowingKeepsTheOthersJobs) {
    for (std::uint32_t seed = 1; seed <= 150; ++seed) {
        Random random{seed};
        Shape shape = random_shape(random);
        shape.nodes = 3;
        const auto scheduler = test::scheduler(shape, policies[seed % std::size(policies)]);
        std::set<JobKey> jobs;
        for (JobKey id = 1; id <= 8; ++id) {
            const auto got = scheduler->match(random_job(random), random_op(random), id);
            if (got && got->kind == MatchAnswer::Kind::matched) jobs.insert(id);
        }
        const auto whole = scheduler->find("status=up");
        ASSERT_TRUE(whole);
        const std::string all = dump_json(placement_to_jgf(scheduler->graph(), *whole, false));
        ASSERT_TRUE(scheduler->remove_ranks(Idset{1}));
        EXPECT_TRUE(scheduler->graph().of_rank(1).empty());
        ASSERT_TRUE(scheduler->attach(all)) << "seed " << seed;
        EXPECT_FALSE(scheduler->graph().of_rank(1).empty());
        const auto node = scheduler->match(test::job({want("slot", 1, {want("node", 1)})}, 10),
                                           MatchOp::allocate_orelse_reserve, 50);
        ASSERT_TRUE(node && node->kind == MatchAnswer::Kind::matched) << "seed " << seed;
        jobs.insert(50);
        for (const JobKey id : jobs) (void)scheduler->cancel(id);
        ASSERT_EQ(scheduler->ledger().vertices_in_use(), 0u) << "seed " << seed;
    }
}

}  // namespace
}  // namespace sluice
