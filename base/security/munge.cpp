#include "base/security/munge.hpp"

#include <dlfcn.h>
#include <munge.h>

#include <cstdlib>
#include <ctime>
#include <memory>

namespace sluice {
namespace {

struct Library {
    decltype(&::munge_encode) encode = nullptr;
    decltype(&::munge_decode) decode = nullptr;
    decltype(&::munge_ctx_create) create = nullptr;
    decltype(&::munge_ctx_destroy) destroy = nullptr;
    decltype(&::munge_ctx_strerror) text = nullptr;
    decltype(&::munge_ctx_get) get = nullptr;
    decltype(&::munge_ctx_set) set = nullptr;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
}

Result<Library> load() {
    void* const open = ::dlopen("libmunge.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!open) return fail(ENOENT, "munge: {}; install libmunge2", ::dlerror());
    Library library;
    const bool complete =
        find(open, "munge_encode", library.encode) && find(open, "munge_decode", library.decode) &&
        find(open, "munge_ctx_create", library.create) &&
        find(open, "munge_ctx_destroy", library.destroy) &&
        find(open, "munge_ctx_strerror", library.text) &&
        find(open, "munge_ctx_get", library.get) && find(open, "munge_ctx_set", library.set);
    if (!complete) return fail(ENOENT, "munge: libmunge.so.2 lacks what we call; install another");
    return library;
}

using Context = std::unique_ptr<munge_ctx, decltype(&::munge_ctx_destroy)>;

struct Session {
    const Library& library;
    Context context;
};

Result<Session> begin(const std::string& socket) {
    static const Result<Library> library = load();
    if (!library) return library.error();
    Context context{library->create(), library->destroy};
    if (!context) return Error{ENOMEM};
    if (!socket.empty() &&
        library->set(context.get(), MUNGE_OPT_SOCKET, socket.c_str()) != EMUNGE_SUCCESS)
        return fail(EINVAL, "munge: socket {}: {}", socket, library->text(context.get()));
    return Session{*library, std::move(context)};
}

Error about(const Session& session, munge_err_t error) {
    const char* const text = session.library.text(session.context.get());
    const std::string_view what = text ? text : "unknown error";
    switch (error) {
        case EMUNGE_SOCKET: return fail(EINVAL, "munge: {}; is munged running?", what);
        case EMUNGE_CRED_REWOUND:
            return fail(EINVAL, "munge: {}; the clocks of two hosts are apart, set them", what);
        case EMUNGE_CRED_INVALID:
            return fail(EINVAL, "munge: {}; forged, altered, or another host's munge.key", what);
        default: return fail(EINVAL, "munge: {}", what);
    }
}

}  // namespace

Result<std::string> munge_encode(const std::string& socket, std::string_view data) {
    SLUICE_TRY(const Session session, begin(socket));
    char* credential = nullptr;
    const munge_err_t error = session.library.encode(&credential, session.context.get(),
                                                     data.data(), static_cast<int>(data.size()));
    const std::unique_ptr<char, void (*)(void*)> owned{credential, ::free};
    if (error != EMUNGE_SUCCESS) return about(session, error);
    return std::string{credential};
}

Result<MungeCredential> munge_decode(const std::string& socket, const std::string& credential) {
    SLUICE_TRY(const Session session, begin(socket));
    void* data = nullptr;
    int size = 0;
    uid_t uid = 0;
    const munge_err_t error = session.library.decode(credential.c_str(), session.context.get(),
                                                     &data, &size, &uid, nullptr);
    const std::unique_ptr<void, void (*)(void*)> owned{data, ::free};
    if (error != EMUNGE_SUCCESS && error != EMUNGE_CRED_REPLAYED && error != EMUNGE_CRED_EXPIRED)
        return about(session, error);
    std::time_t encoded_at = 0;
    if (session.library.get(session.context.get(), MUNGE_OPT_ENCODE_TIME, &encoded_at) !=
        EMUNGE_SUCCESS)
        return about(session, EMUNGE_SNAFU);
    MungeCredential decoded;
    if (data && size > 0) decoded.data.assign(static_cast<const char*>(data), std::size_t(size));
    decoded.userid = UserId{uid};
    decoded.encoded_at = encoded_at;
    decoded.replayed = error == EMUNGE_CRED_REPLAYED;
    return decoded;
}

}  // namespace sluice
