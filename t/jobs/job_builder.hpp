// Jobs for tests, made the way the pipeline makes them: by events.
#pragma once

#include <gtest/gtest.h>

#include "broker/jobs/job_fsm.hpp"

namespace sluice {

class JobBuilder {
  public:
    explicit JobBuilder(std::uint64_t id) {
        job_->id = JobId{id};
        job_->name = "true";
        job_->active = std::make_unique<ActiveJob>();
        event("submit", {{"userid", 1000}, {"urgency", 16}, {"flags", 0}, {"version", 1}});
    }
    JobBuilder& event(std::string_view name, JsonObject context = {}) {
        Event event = make_event(name, std::move(context));
        event.timestamp = ++time_;
        const auto applied = apply_event(*job_, event);
        EXPECT_TRUE(applied) << (applied ? "" : applied.error().text());
        return *this;
    }
    JobBuilder& named(std::string name) { return job_->name = std::move(name), *this; }
    JobBuilder& queue(std::string queue) { return job_->queue = std::move(queue), *this; }
    JobBuilder& sched(int priority = 16) {
        return event("validate").event("depend").event("priority", {{"priority", priority}});
    }
    JobBuilder& run() { return sched().event("alloc").event("start"); }
    JobBuilder& end(int status) {
        return event("finish", {{"status", status}})
            .event("release", {{"ranks", "all"}, {"final", true}})
            .event("free")
            .event("clean");
    }
    JobBuilder& fatal(std::string type) {
        return event("exception", {{"type", type}, {"severity", 0}, {"note", ""}});
    }
    Job& operator*() { return *job_; }
    Job* operator->() { return job_.get(); }
    std::unique_ptr<Job> take() { return std::move(job_); }

  private:
    std::unique_ptr<Job> job_ = std::make_unique<Job>();
    double time_ = 100;
};

}  // namespace sluice
