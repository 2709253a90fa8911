// The broker itself (broker.*): its environment and where the parts of the installation are.
#include <cstdlib>

#include "base/paths.hpp"
#include "broker/config/attributes.hpp"
#include "broker/context.hpp"
#include "broker/parts.hpp"
#include "broker/service/service.hpp"

namespace sluice {
namespace {

struct BuiltinRow {
    std::string_view key;
    std::string (*value)();
};
constexpr BuiltinRow builtins[] = {
    {"confdir", [] { return std::string{"/etc/flux"}; }},
    {"rundir", [] { return std::string{"/run/flux"}; }},
    {"shell_path", [] { return helper_program("flux-shell"); }},
    {"broker_path", [] { return helper_program("flux-broker"); }},
    {"exec_path", [] { return program_folder(); }},
    {"pmi_library_path", [] { return helper_library("libpmi.so"); }},
    {"shell_pluginpath", [] { return std::string{}; }},
    {"shell_initrc", [] { return std::string{}; }},
};

class BrokerService : public RpcService<BrokerService> {
  public:
    static const RpcTable<BrokerService> rpcs;

    explicit BrokerService(BrokerContext& context) : RpcService(context.router, "broker") {}

  private:
    void get_environment(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const JsonArray& names = in.array("names");
        if (!in) return request.fail(in.error());
        JsonObject env;
        for (const Json& name : names) {
            if (!name.is_string())
                return request.fail(sluice::fail(EPROTO, "names: wanted strings"));
            if (const char* value = std::getenv(name.as_string().c_str()))
                env[name.as_string()] = value;
        }
        request.respond(JsonObject{{"env", std::move(env)}});
    }

    void set_environment(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const JsonObject& env = in.object("env");
        if (!in) return request.fail(in.error());
        for (const auto& [name, value] : env)
            if (!value.is_string() && !value.is_null())
                return request.fail(sluice::fail(EPROTO, "env.{}: wanted a string or null",
                                                 std::string_view{name}));
        for (const auto& [name, value] : env) {
            const std::string variable{name};
            if (value.is_null())
                ::unsetenv(variable.c_str());
            else
                ::setenv(variable.c_str(), value.as_string().c_str(), 1);
        }
        request.respond();
    }

    void builtin_values(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const JsonArray& keys = in.array("keys");
        if (!in) return request.fail(in.error());
        JsonObject values;
        for (const Json& key : keys) {
            if (!key.is_string()) return request.fail(sluice::fail(EPROTO, "keys: wanted strings"));
            const std::string_view name = key.as_string();
            const BuiltinRow* found = nullptr;
            for (const BuiltinRow& row : builtins)
                if (row.key == name) found = &row;
            if (!found)
                return request.fail(
                    sluice::fail(EINVAL, "{} is invalid: not a built-in value", name));
            values[name] = found->value();
        }
        request.respond(JsonObject{{"values", std::move(values)}});
    }
};

const RpcTable<BrokerService> BrokerService::rpcs{
    {"getenv", Caller::owner, Body::json, &BrokerService::get_environment},
    {"setenv", Caller::owner, Body::json, &BrokerService::set_environment},
    {"conf-builtin", Caller::any, Body::json, &BrokerService::builtin_values},
};

}  // namespace

Result<Part> make_broker_core(BrokerContext& context) {
    return Part{std::make_shared<BrokerService>(context)};
}

}  // namespace sluice
