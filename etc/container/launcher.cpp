// The programs of a view are started through this one, which is linked statically and so runs on
// any Linux: it runs the real program of the same name with the loader and the libraries of the
// view, whatever the application's image brings.
//
//     view/bin/flux       flux-ld.so                    /proc/self/exe of the real program is the
//     view/lib/flux/NAME  flux-ld.so  libs/  real/NAME  loader beside its launcher: base/paths.cpp
//                                                       finds the rest from there
//
// The names in lib/flux are links to one launcher: the name comes from the path it is started by.
// No library but libc's least part: each copy of it is copied into every pod, twice.
#include <alloca.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <initializer_list>

namespace {

/// A path put together from parts; too long a one is cut, and then not found.
struct Path {
    char text[PATH_MAX] = {};
    Path(const char* a, const char* b, const char* c = "") {
        for (const char* part : {a, b, c})
            ::strncat(text, part, sizeof text - 1 - ::strlen(text));
    }
};

int complain(const char* name, const char* fault) {
    for (const char* part : {name, ": ", fault, "\n"})
        if (::write(STDERR_FILENO, part, ::strlen(part)) < 0) break;
    return 127;
}

}  // namespace

int main(int argc, char** argv) {
    char folder[PATH_MAX] = {};
    if (argc < 1 || ::readlink("/proc/self/exe", folder, sizeof folder - 1) <= 0)
        return complain("flux", "/proc is not mounted; the view needs it");
    *::strrchr(folder, '/') = '\0';
    const char* started = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
    const char* slash = ::strrchr(started, '/');
    const char* name = slash ? slash + 1 : started;
    const bool helper = ::access(Path(folder, "/real").text, F_OK) == 0;
    Path lib(folder, helper ? "" : "/../lib/flux");
    Path loader(folder, "/flux-ld.so"), libs(lib.text, "/libs"), real(lib.text, "/real/", name);
    char option_argv0[] = "--argv0", option_path[] = "--library-path";
    auto** words =
        static_cast<char**>(::alloca(sizeof(char*) * (static_cast<unsigned>(argc) + 6)));
    char* const first[] = {loader.text, option_argv0, argv[0], option_path, libs.text, real.text};
    ::memcpy(words, first, sizeof first);
    ::memcpy(words + 6, argv + 1, sizeof *argv * static_cast<unsigned>(argc));
    ::execv(loader.text, words);
    return complain(loader.text, "cannot be run; copy the whole view");
}
