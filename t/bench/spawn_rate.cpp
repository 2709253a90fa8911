// The operating system's own limit: how many times a second this machine can posix_spawn /bin/true
// and reap it, with as many children in flight as there are processors.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

extern char** environ;

int main(int argc, char** argv) {
    const int total = argc > 1 ? std::atoi(argv[1]) : 2000;
    const long in_flight_max = ::sysconf(_SC_NPROCESSORS_ONLN);
    char name[] = "/bin/true";
    char* const arguments[] = {name, nullptr};
    const auto begin = std::chrono::steady_clock::now();
    long in_flight = 0;
    for (int started = 0, ended = 0; ended < total;) {
        if (started < total && in_flight < in_flight_max) {
            pid_t pid = 0;
            if (::posix_spawn(&pid, name, nullptr, nullptr, arguments, environ) != 0) return 1;
            ++started;
            ++in_flight;
            continue;
        }
        int status = 0;
        if (::wait(&status) < 0) return 1;
        ++ended;
        --in_flight;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("%.1f\n", total / took.count());
    return 0;
}
