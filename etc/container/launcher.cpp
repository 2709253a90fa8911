// The programs of a view are started through this one, which is linked statically and so runs on
// any Linux: it runs the real program of the same name with the loader and the libraries of the
// view, whatever the application's image brings.
//
//     view/bin/flux       flux-ld.so                    /proc/self/exe of the real program is the
//     view/lib/flux/NAME  flux-ld.so  libs/  real/NAME  loader beside its launcher: base/paths.cpp
//                                                       finds the rest from there
//
// The names in lib/flux are links to one launcher: the name comes from the path it is started by.
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

int main(int argc, char** argv) {
    char self[PATH_MAX] = {};
    if (::readlink("/proc/self/exe", self, sizeof self - 1) <= 0) {
        std::fprintf(stderr, "%s: /proc is not mounted; the view needs it\n", argv[0]);
        return 127;
    }
    const std::string path{self};
    const std::string started = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
    const std::string folder = path.substr(0, path.rfind('/'));
    const std::string name = started.substr(started.rfind('/') + 1);
    const bool command = ::access((folder + "/real").c_str(), F_OK) != 0;
    const std::string lib = command ? folder + "/../lib/flux" : folder;
    std::string loader = folder + "/flux-ld.so", libs = lib + "/libs", real = lib + "/real/" + name;
    std::string option_argv0 = "--argv0", option_path = "--library-path";
    std::vector<char*> words{loader.data(),      option_argv0.data(), argv[0],
                             option_path.data(), libs.data(),         real.data()};
    for (int i = 1; i <= argc; ++i) words.push_back(argv[i]);
    ::execv(loader.c_str(), words.data());
    std::fprintf(stderr, "%s: %s: %s; copy the whole view\n", argv[0], loader.c_str(),
                 std::strerror(errno));
    return 127;
}
