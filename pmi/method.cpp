#include "pmi/method.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <map>

#include "pmi/simple_client.hpp"

namespace sluice::pmi {
namespace {

class SimpleMethod : public Method {
  public:
    explicit SimpleMethod(SimpleClient client) : client_(std::move(client)) {}
    std::uint32_t rank() const override { return client_.rank(); }
    std::uint32_t size() const override { return client_.size(); }
    std::string name() override { return client_.kvsname().value_or("?"); }
    Result<void> put(const std::string& key, const std::string& value) override {
        return client_.put(key, value);
    }
    Result<std::string> get(const std::string& key) override { return client_.get(key); }
    Result<void> barrier() override { return client_.barrier(); }
    Result<void> finalize() override { return client_.finalize(); }
    void abort(int code, const std::string& message) override { client_.abort(code, message); }

  private:
    SimpleClient client_;
};

/// A job of one task, without a server.
class SingleMethod : public Method {
  public:
    std::uint32_t rank() const override { return 0; }
    std::uint32_t size() const override { return 1; }
    std::string name() override {
        const char* id = std::getenv("FLUX_JOB_ID");
        return id ? id : "0";
    }
    Result<void> put(const std::string& key, const std::string& value) override {
        keys_[key] = value;
        return {};
    }
    Result<std::string> get(const std::string& key) override {
        const auto found = keys_.find(key);
        if (found == keys_.end()) return fail(ENOENT, "{}: no such key", key);
        return found->second;
    }
    Result<void> barrier() override { return {}; }
    Result<void> finalize() override { return {}; }
    void abort(int code, const std::string&) override { std::exit(code); }

  private:
    std::map<std::string, std::string> keys_;
};

/// A C library opened at run time, and its functions by name.
class Library {
  public:
    static Result<Library> open(const std::string& path) {
        void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!handle) return fail(ENOENT, "{}", ::dlerror());
        return Library{handle};
    }
    template <class Function>
    Result<Function*> find(const char* name) const {
        void* symbol = ::dlsym(handle_, name);
        if (!symbol) return fail(ENOSYS, "{}", ::dlerror());
        return reinterpret_cast<Function*>(symbol);
    }
    /// Calls an int function and turns its code into an Error.
    template <class... Args>
    Result<void> call(const char* name, Args... args) const {
        auto function = find<int(Args...)>(name);
        if (!function) return function.error();
        const int code = (*function)(args...);
        if (code == 0) return {};
        return fail(to_errno(static_cast<Status>(code)), "{}: error {}", name, code);
    }

  private:
    explicit Library(void* handle) : handle_(handle) {}
    void* handle_;  // stays open to the end of the program
};

constexpr int value_bytes = static_cast<int>(value_bytes_max);

/// What the methods through a C library share: init() of the real ones sets it.
class LibraryMethod : public Method {
  public:
    explicit LibraryMethod(Library library) : library_(library) {}
    std::uint32_t rank() const override { return static_cast<std::uint32_t>(rank_); }
    std::uint32_t size() const override { return static_cast<std::uint32_t>(size_); }
    std::string name() override { return name_; }

  protected:
    Library library_;
    int rank_ = 0, size_ = 0;
    std::string name_;
};

class LibPmi : public LibraryMethod {
  public:
    using LibraryMethod::LibraryMethod;
    Result<void> init() {
        int spawned = 0;
        SLUICE_CHECK(library_.call("PMI_Init", &spawned));
        SLUICE_CHECK(library_.call("PMI_Get_rank", &rank_));
        SLUICE_CHECK(library_.call("PMI_Get_size", &size_));
        char name[kvsname_bytes_max];
        SLUICE_CHECK(library_.call("PMI_KVS_Get_my_name", +name, int{sizeof name}));
        name_ = name;
        return {};
    }
    Result<void> put(const std::string& key, const std::string& value) override {
        SLUICE_CHECK(library_.call("PMI_KVS_Put", name_.c_str(), key.c_str(), value.c_str()));
        return library_.call("PMI_KVS_Commit", name_.c_str());
    }
    Result<std::string> get(const std::string& key) override {
        std::string value(value_bytes, '\0');
        SLUICE_CHECK(
            library_.call("PMI_KVS_Get", name_.c_str(), key.c_str(), value.data(), value_bytes));
        return std::string{value.c_str()};
    }
    Result<void> barrier() override { return library_.call("PMI_Barrier"); }
    Result<void> finalize() override { return library_.call("PMI_Finalize"); }
    void abort(int code, const std::string& message) override {
        static_cast<void>(library_.call("PMI_Abort", code, message.c_str()));
    }
};

class LibPmi2 : public LibraryMethod {
  public:
    using LibraryMethod::LibraryMethod;
    Result<void> init() {
        int spawned = 0, appnum = 0;
        SLUICE_CHECK(library_.call("PMI2_Init", &spawned, &size_, &rank_, &appnum));
        char name[kvsname_bytes_max];
        SLUICE_CHECK(library_.call("PMI2_Job_GetId", +name, int{sizeof name}));
        name_ = name;
        return {};
    }
    Result<void> put(const std::string& key, const std::string& value) override {
        return library_.call("PMI2_KVS_Put", key.c_str(), value.c_str());
    }
    Result<std::string> get(const std::string& key) override {
        std::string value(value_bytes, '\0');
        if (key == "PMI_process_mapping") {
            int found = 0;
            SLUICE_CHECK(library_.call("PMI2_Info_GetJobAttr", key.c_str(), value.data(),
                                       value_bytes, &found));
            if (!found) return fail(ENOENT, "{}: no such key", key);
        } else {
            int length = 0;
            SLUICE_CHECK(library_.call("PMI2_KVS_Get", name_.c_str(), -1, key.c_str(), value.data(),
                                       value_bytes, &length));
        }
        return std::string{value.c_str()};
    }
    Result<void> barrier() override { return library_.call("PMI2_KVS_Fence"); }
    Result<void> finalize() override { return library_.call("PMI2_Finalize"); }
    void abort(int, const std::string& message) override {
        static_cast<void>(library_.call("PMI2_Abort", 1, message.c_str()));
    }
};

template <class Way>
Result<std::unique_ptr<Method>> open_library(const std::string& path) {
    SLUICE_TRY(const Library library, Library::open(path));
    auto method = std::make_unique<Way>(library);
    SLUICE_CHECK(method->init());
    return std::unique_ptr<Method>{std::move(method)};
}

Result<std::unique_ptr<Method>> open_named(std::string_view uri) {
    const std::size_t colon = std::min(uri.find(':'), uri.size());
    const std::string_view scheme = uri.substr(0, colon);
    const std::string path{colon < uri.size() ? uri.substr(colon + 1) : ""};
    if (scheme == "simple") {
        SLUICE_TRY(SimpleClient client, SimpleClient::from_environment());
        return std::unique_ptr<Method>{std::make_unique<SimpleMethod>(std::move(client))};
    }
    if (scheme == "libpmi") return open_library<LibPmi>(path.empty() ? "libpmi.so" : path);
    if (scheme == "libpmi2") return open_library<LibPmi2>(path.empty() ? "libpmi2.so" : path);
    if (scheme == "single") return std::unique_ptr<Method>{std::make_unique<SingleMethod>()};
    return fail(EINVAL, "unknown method '{}'; use simple, libpmi, libpmi2 or single", uri);
}

}  // namespace

Result<std::unique_ptr<Method>> open_method(std::string_view uri) {
    if (!uri.empty()) return open_named(uri);
    for (const std::string_view method : {"simple", "libpmi2", "libpmi"})
        if (auto opened = open_named(method)) return opened;
    return open_named("single");
}

}  // namespace sluice::pmi
