#include "shell/run/mpi_probe.hpp"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <optional>
#include <string_view>
#include <vector>

#include "base/aio/spawn.hpp"
#include "base/config_path.hpp"

namespace sluice::shell {
namespace {

constexpr std::string_view library = "libmpi";
constexpr std::size_t headers_max = 512, dynamic_max = 4096;

template <class T>
bool read_at(int fd, std::uint64_t offset, T* to, std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    return ::pread(fd, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

/// Where in the file an address of the loaded program is.
std::optional<std::uint64_t> offset_of(const std::vector<Elf64_Phdr>& segments,
                                       std::uint64_t address) {
    for (const Elf64_Phdr& segment : segments)
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
            address - segment.p_vaddr < segment.p_filesz)
            return address - segment.p_vaddr + segment.p_offset;
    return std::nullopt;
}

bool needs_library(int fd, const std::vector<Elf64_Phdr>& segments,
                   const std::vector<Elf64_Dyn>& entries) {
    const auto table = std::ranges::find(entries, DT_STRTAB, &Elf64_Dyn::d_tag);
    if (table == entries.end()) return false;
    const auto names = offset_of(segments, table->d_un.d_ptr);
    if (!names) return false;
    return std::ranges::any_of(entries, [&](const Elf64_Dyn& entry) {
        char name[library.size()];
        return entry.d_tag == DT_NEEDED &&
               read_at(fd, *names + entry.d_un.d_val, name, sizeof name) &&
               std::string_view(name, sizeof name) == library;
    });
}

}  // namespace

std::string program_of(pid_t pid) {
    char path[PATH_MAX];
    const ssize_t size =
        ::readlink(fmt::format("/proc/{}/exe", pid).c_str(), path, sizeof path);
    return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : std::string{};
}

bool links_mpi(const std::string& program) {
    const OwnedFd file{::open(program.c_str(), O_RDONLY | O_CLOEXEC)};
    Elf64_Ehdr header;
    if (file.get() < 0 || !read_at(file.get(), 0, &header, 1)) return false;
    const std::string_view magic(reinterpret_cast<const char*>(header.e_ident), SELFMAG);
    if (magic != ELFMAG || header.e_ident[EI_CLASS] != ELFCLASS64) return false;
    if (header.e_phnum > headers_max || header.e_phentsize != sizeof(Elf64_Phdr)) return false;
    std::vector<Elf64_Phdr> segments(header.e_phnum);
    if (!read_at(file.get(), header.e_phoff, segments.data(), segments.size())) return false;
    const auto dynamic =
        std::ranges::find(segments, std::uint32_t{PT_DYNAMIC}, &Elf64_Phdr::p_type);
    if (dynamic == segments.end()) return false;
    std::vector<Elf64_Dyn> entries(
        std::min<std::size_t>(dynamic->p_filesz / sizeof(Elf64_Dyn), dynamic_max));
    return read_at(file.get(), dynamic->p_offset, entries.data(), entries.size()) &&
           needs_library(file.get(), segments, entries);
}

bool has_loaded_mpi(pid_t pid) {
    const auto maps = read_text_file(fmt::format("/proc/{}/maps", pid));
    return maps && maps->find("/libmpi") != maps->npos;
}

}  // namespace sluice::shell
