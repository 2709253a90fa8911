#include "broker/service/service.hpp"

#include <sys/resource.h>

#include "base/assert.hpp"

namespace sluice {
namespace {

constexpr std::size_t hop_digits = 8;  // of each route id in the answer to ping

double seconds(const timeval& time) { return time.tv_sec + time.tv_usec * 1e-6; }

Result<JsonObject> resource_usage(const JsonObject& payload) {
    JsonReader in{payload};
    const std::string who = in.string_or("who", "self");
    if (!in) return in.error();
    int which = RUSAGE_SELF;
    if (who == "children") which = RUSAGE_CHILDREN;
    else if (who == "thread") which = RUSAGE_THREAD;
    else if (who != "self") return fail(EPROTO, "who: '{}' is not self, children or thread", who);
    rusage usage{};
    ::getrusage(which, &usage);
    return JsonObject{{"utime", seconds(usage.ru_utime)}, {"stime", seconds(usage.ru_stime)},
                      {"maxrss", usage.ru_maxrss},        {"ixrss", usage.ru_ixrss},
                      {"idrss", usage.ru_idrss},          {"isrss", usage.ru_isrss},
                      {"minflt", usage.ru_minflt},        {"majflt", usage.ru_majflt},
                      {"nswap", usage.ru_nswap},          {"inblock", usage.ru_inblock},
                      {"oublock", usage.ru_oublock},      {"msgsnd", usage.ru_msgsnd},
                      {"msgrcv", usage.ru_msgrcv},        {"nsignals", usage.ru_nsignals},
                      {"nvcsw", usage.ru_nvcsw},          {"nivcsw", usage.ru_nivcsw}};
}

}  // namespace

Service::Service(Router& router, std::string name, Tenure tenure)
    : router_(router), name_(std::move(name)) {
    if (tenure == Tenure::stand_in) {
        router_.add_stand_in(name_, this);
    } else {
        const auto added = router_.add_service(name_, this);
        SLUICE_ASSERT(added.has_value());
    }
}

Service::~Service() { router_.forget_services(this); }

void Service::deliver(Message message) {
    if (message.type != MessageType::request) return;
    ++requests_;
    if (router_.on_service_message)
        router_.on_service_message({MessageTrace::Way::received, name_, -1, message});
    Request request{router_, std::move(message)};
    const std::string method{request.message().method()};
    // "svc.sub.disconnect" follows a request "svc.sub.method" (wire.md 1.2).
    const std::string_view word = std::string_view{method}.substr(method.rfind('.') + 1);
    if (client_notice(word, request)) return;
    if (dispatch(method, request) || common_method(method, request)) return;
    request.fail(sluice::fail(ENOSYS, "Unknown service method '{}'", request.topic()));
}

bool Service::client_notice(std::string_view word, const Request& request) {
    if (word == "disconnect") {
        slow_clients_.erase(std::string{request.sender()});
        on_disconnect(request);
    } else if (word == "client-slow") {
        slow_clients_.emplace(request.sender());
        on_client_pace(request, true);
    } else if (word == "client-ready") {
        slow_clients_.erase(std::string{request.sender()});
        on_client_pace(request, false);
    } else {
        return false;
    }
    return true;
}

bool Service::permitted(const Request& request, Caller caller) {
    const Credential& cred = request.message().cred;
    switch (caller) {
        case Caller::owner: return cred.privileged();
        case Caller::user: return cred.rolemask & (role::owner | role::user | role::admin);
        case Caller::any: return cred.rolemask != role::none;
    }
    return false;
}

void Service::refuse(const Request& request) {
    request.fail(sluice::fail(EPERM, "Request requires owner credentials"));
}

std::optional<JsonObject> Service::decode(const Request& request, Body body) {
    if (body == Body::none || body == Body::raw) return JsonObject{};
    if (!request.message().payload) {
        if (body == Body::maybe) return JsonObject{};
        request.fail(sluice::fail(EPROTO, "{}: request has no payload", request.topic()));
        return std::nullopt;
    }
    if (!request.message().bytes().ends_with('\0')) {
        request.fail(sluice::fail(EPROTO, "{}: JSON without its final NUL", request.topic()));
        return std::nullopt;
    }
    auto payload = parse_json_object(request.message().text());
    if (payload) return *std::move(payload);
    request.fail(payload.error().in(request.topic()));
    return std::nullopt;
}

bool Service::common_method(std::string_view method, Request& request) {
    if (method == "ping") {
        if (permitted(request, Caller::user)) ping(request);
        else refuse(request);
    } else if (method == "stats-get") {
        if (permitted(request, Caller::any)) request.respond(stats());
        else refuse(request);
    } else if (method == "stats-clear") {
        if (!permitted(request, Caller::owner)) return refuse(request), true;
        requests_ = 0;
        request.respond();
    } else if (method == "rusage") {
        if (!permitted(request, Caller::user)) return refuse(request), true;
        if (const auto payload = decode(request, Body::maybe))
            request.respond(resource_usage(*payload));
    } else if (method == "debug") {
        if (!permitted(request, Caller::owner)) return refuse(request), true;
        const auto payload = decode(request, Body::json);
        if (!payload) return true;
        JsonReader in{*payload};
        const std::string op = in.string("op");
        const std::int64_t flags = in.integer("flags");
        if (!in) return request.fail(in.error()), true;
        if (op == "setbit") debug_flags_ |= flags;
        else if (op == "clrbit") debug_flags_ &= ~flags;
        else if (op == "set") debug_flags_ = flags;
        else if (op == "clr") debug_flags_ = 0;
        else return request.fail(sluice::fail(EPROTO, "op: '{}' is unknown", op)), true;
        request.respond(JsonObject{{"flags", debug_flags_}});
    } else {
        return false;
    }
    return true;
}

void Service::ping(const Request& request) {
    auto payload = decode(request, Body::json);
    if (!payload) return;
    std::string route;
    for (const std::string& hop : request.message().routes)
        route += hop.substr(0, hop_digits) + '!';
    const Credential& cred = request.message().cred;
    (*payload)["route"] = route + router_.uuid().substr(0, hop_digits);
    (*payload)["userid"] = cred.userid.value;
    (*payload)["rolemask"] = cred.rolemask;
    (*payload)["rank"] = router_.rank().value;
    request.respond(*payload);
}

JsonObject Service::stats() const {
    const auto counts = [](std::int64_t requests, std::int64_t responses) {
        return JsonObject{
            {"request", requests}, {"response", responses}, {"event", 0}, {"control", 0}};
    };
    return JsonObject{{"tx", counts(0, requests_)}, {"rx", counts(requests_, 0)}};
}

}  // namespace sluice
