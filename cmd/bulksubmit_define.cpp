#include "cmd/bulksubmit_define.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "base/json.hpp"
#include "cmd/load_file.hpp"

extern char** environ;

namespace sluice {
namespace {

constexpr const char* evaluator = R"python(
import json, math, os, re, sys
work = json.load(sys.stdin)
out = {}
for name, code in work["code"].items():
    try:
        compiled = compile(code, name, "eval")
        out[name] = {x: str(eval(compiled, globals(), {"x": x})) for x in work["inputs"]}
    except Exception as error:
        print(json.dumps({"error": f"--define={name}={code}: {error}"}))
        sys.exit(0)
print(json.dumps({"values": out}))
)python";

/// A descriptor at the start of a memory file with `content`.
Result<int> memory_file(const char* name, const std::string& content) {
    const int fd = ::memfd_create(name, MFD_CLOEXEC);
    if (fd < 0) return fail(errno, "memory file: {}", std::strerror(errno));
    std::string_view rest = content;
    while (!rest.empty()) {
        const ssize_t size = ::write(fd, rest.data(), rest.size());
        if (size < 0) {
            const int cause = errno;
            ::close(fd);
            return fail(cause, "memory file: {}", std::strerror(cause));
        }
        rest.remove_prefix(static_cast<std::size_t>(size));
    }
    ::lseek(fd, 0, SEEK_SET);
    return fd;
}

/// Runs python3 with `in` and `out` as its standard streams until it ends.
Result<void> run_python(int in, int out) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    std::string words[] = {"python3", "-c", evaluator};
    char* argv[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
    pid_t pid = 0;
    const int failed = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv, environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed) return fail(failed, "--define: python3: {}; install it", std::strerror(failed));
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) return fail(EINVAL, "--define: python3 could not evaluate the expressions");
    return {};
}

Result<JsonObject> evaluate(const JsonObject& work) {
    SLUICE_TRY(const int in, memory_file("inputs", dump_json(work)));
    const Result<int> out = memory_file("values", "");
    if (!out) {
        ::close(in);
        return out.error();
    }
    const Result<void> done = run_python(in, *out);
    ::lseek(*out, 0, SEEK_SET);
    const Result<LoadedFile> answer = load_file(fmt::format("/proc/self/fd/{}", *out));
    ::close(in);
    ::close(*out);
    if (!done) return done.error();
    if (!answer) return answer.error();
    SLUICE_TRY(JsonObject parsed, parse_json_object(answer->content));
    if (const Json* error = parsed.if_contains("error"); error && error->is_string())
        return fail(EINVAL, "{}", std::string_view(error->get_string()));
    return parsed;
}

}  // namespace

Result<DefinedValues> define_values(const std::vector<std::string>& definitions,
                                    const std::vector<InputTuple>& tuples) {
    DefinedValues defined;
    if (definitions.empty()) return defined;
    JsonObject code;
    for (const std::string& definition : definitions) {
        const std::size_t equals = definition.find('=');
        if (equals == 0 || equals == std::string::npos)
            return fail(EINVAL, "--define={}: use NAME=CODE", definition);
        code[definition.substr(0, equals)] = definition.substr(equals + 1);
    }
    std::set<std::string> inputs;
    for (const InputTuple& tuple : tuples) inputs.insert(tuple.begin(), tuple.end());
    JsonObject work;
    work["code"] = std::move(code);
    work["inputs"] = JsonArray(inputs.begin(), inputs.end());
    SLUICE_TRY(const JsonObject answer, evaluate(work));
    JsonReader in(answer);
    for (const auto& [name, values] : in.object("values"))
        for (const auto& [input, value] : values.as_object())
            defined[std::string{name}][std::string{input}] = std::string{value.as_string()};
    if (!in) return in.error();
    return defined;
}

}  // namespace sluice
