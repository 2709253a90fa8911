// A scheduler of whole nodes, first come, first served, that takes over an instance from outside
// (RFC 27), to show that one can.
//
//     outside_scheduler [--limit N] [--garbage] [--fickle]
//
// Prints "ready" once it is seated. --garbage: its first answer breaks the protocol. --fickle: so
// does what it says after giving up a job, namely that the job won.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/rfc/resource_set.hpp"
#include "base/rpc/handle.hpp"

using namespace sluice;

namespace {

struct Ask {
    std::int64_t id, nnodes;
    Message request;
};

class WholeNodes {
  public:
    WholeNodes(Handle& flux, bool garbage, bool fickle)
        : flux_(flux), garbage_(garbage), fickle_(fickle) {}

    Result<void> take_seat(std::int64_t limit) {
        SLUICE_TRY(const JsonObject status, flux_.call("resource.sched-status"));
        SLUICE_TRY(all_, ResourceSet::from_json(status.at("all").as_object()));
        SLUICE_TRY(const auto allocated,
                   ResourceSet::from_json(status.at("allocated").as_object()));
        std::optional<Error> end;
        flux_.send("job-manager.sched-hello", {}, {.streaming = true}, [&](const Reply& reply) {
            if (!reply.ok()) end = reply.error();
        });
        if (!flux_.run_until([&] { return end.has_value(); })) return Error{ECONNRESET};
        if (end->errnum() != ENODATA) return *end;
        used_ = allocated.ranks();
        SLUICE_CHECK(flux_.add_service("sched", [this](const Message& m) { serve(m); }));
        JsonObject mode{{"mode", limit ? "limited" : "unlimited"}};
        if (limit) mode["limit"] = limit;
        SLUICE_CHECK(flux_.call("job-manager.sched-ready", mode));
        return {};
    }

  private:
    void serve(const Message& request) {
        const JsonObject payload = parse_json_object(request.text()).value_or({});
        const std::string_view method = request.method();
        if (method == "alloc") {
            const Json* nodes = find_path(payload.at("jobspec").as_object(), "resources");
            const JsonObject& top = nodes->as_array().at(0).as_object();
            const bool by_node = top.at("type") == "node";
            waiting_.push_back({payload.at("id").to_number<std::int64_t>(),
                                by_node ? top.at("count").to_number<std::int64_t>() : 1, request});
        } else if (method == "free") {
            const auto R = ResourceSet::from_json(payload.at("R").as_object());
            for (const std::uint32_t rank : R->ranks()) used_.erase(rank);
        } else if (method == "cancel") {
            cancel(payload.at("id").to_number<std::int64_t>());
        } else if (method == "resource-status") {
            return answer(request, {{"all", all_.to_json()},
                                    {"down", ResourceSet{}.to_json()},
                                    {"allocated", all_.only_ranks(used_).to_json()}});
        } else if (method == "expiration") {
            return answer(request, {});
        }
        start_what_fits();
    }

    void cancel(std::int64_t id) {
        const auto ask = std::find_if(waiting_.begin(), waiting_.end(),
                                      [id](const Ask& it) { return it.id == id; });
        if (ask == waiting_.end()) return;
        answer(ask->request, {{"id", id}, {"type", 3}});
        if (fickle_) answer(ask->request, {{"id", id}, {"type", 0}, {"R", all_.to_json()}});
        waiting_.erase(ask);
    }

    void start_what_fits() {
        while (!waiting_.empty()) {
            const Ask ask = waiting_.front();
            Idset free = all_.ranks() - used_;
            if (ask.nnodes > std::int64_t(all_.node_count())) {
                answer(ask.request,
                       {{"id", ask.id}, {"type", 2}, {"note", "too many whole nodes"}});
            } else if (std::int64_t(free.size()) < ask.nnodes) {
                return answer(ask.request, {{"id", ask.id},
                                            {"type", 1},
                                            {"annotations",
                                             {{"sched", {{"reason_pending", "no whole node"}}}}}});
            } else {
                Idset taken;
                for (const std::uint32_t rank : free)
                    if (std::int64_t(taken.size()) < ask.nnodes) taken.insert(rank);
                used_ = used_ | taken;
                JsonObject won{{"id", ask.id}, {"type", 0}};
                if (!garbage_) won["R"] = all_.only_ranks(taken).to_json();
                won["annotations"] = {
                    {"sched", {{"resource_summary", "whole nodes"}, {"reason_pending", nullptr}}}};
                answer(ask.request, won);
            }
            waiting_.pop_front();
        }
    }

    void answer(const Message& request, const JsonObject& payload) {
        Message response = Message::response(request, 0);
        response.set_json(payload);
        flux_.send_message(response);
    }

    Handle& flux_;
    const bool garbage_, fickle_;
    ResourceSet all_;
    Idset used_;
    std::deque<Ask> waiting_;
};

}  // namespace

int main(int argc, char** argv) {
    std::int64_t limit = 0;
    bool garbage = false, fickle = false;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--garbage")
            garbage = true;
        else if (word == "--fickle")
            fickle = true;
        else if (word == "--limit" && i + 1 < argc)
            limit = std::stoll(argv[++i]);
    }
    Result<Handle> flux = Handle::open();
    if (!flux) return fmt::print(stderr, "{}\n", flux.error().text()), 1;
    WholeNodes scheduler(*flux, garbage, fickle);
    if (const auto seated = scheduler.take_seat(limit); !seated)
        return fmt::print(stderr, "{}\n", seated.error().text()), 1;
    fmt::print("ready\n");
    std::fflush(stdout);
    flux->run_until([] { return false; });
}
