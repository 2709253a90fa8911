#include "cmd/archive/archive_file.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>

#include <cstdio>

namespace sluice {
namespace {

/// All that libarchive knows but xar, whose XML reader would bring 36 MB of libraries.
constexpr int (*readable_formats[])(archive*) = {
    archive_read_support_format_tar,   archive_read_support_format_cpio,
    archive_read_support_format_empty, archive_read_support_format_zip,
    archive_read_support_format_7zip,  archive_read_support_format_rar,
    archive_read_support_format_rar5,  archive_read_support_format_cab,
    archive_read_support_format_lha,   archive_read_support_format_iso9660,
    archive_read_support_format_mtree, archive_read_support_format_warc,
    archive_read_support_format_ar,
};

constexpr std::size_t block_bytes = 10240;

struct FreeEntry {
    void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

Error error_of(archive* file) {
    const char* text = archive_error_string(file);
    return fail(archive_errno(file) ? archive_errno(file) : EINVAL, "{}",
                text ? text : "unknown error");
}

std::string text_or_empty(const char* text) { return text ? text : ""; }

}  // namespace

void ArchiveWriter::Free::operator()(archive* file) const { archive_write_free(file); }
void ArchiveReader::Free::operator()(archive* file) const { archive_read_free(file); }

Result<ArchiveWriter> ArchiveWriter::open(const std::string& path) {
    ArchiveWriter writer;
    archive* file = archive_write_new();
    writer.archive_.reset(file);
    const bool opened = path == "-"
                            ? archive_write_set_format_pax_restricted(file) == ARCHIVE_OK &&
                                  archive_write_open_FILE(file, stdout) == ARCHIVE_OK
                            : archive_write_set_format_filter_by_ext(file, path.c_str()) ==
                                      ARCHIVE_OK &&
                                  archive_write_open_filename(file, path.c_str()) == ARCHIVE_OK;
    if (!opened) return error_of(file);
    return writer;
}

Result<void> ArchiveWriter::add(const ArchiveEntry& entry,
                                const std::vector<std::string_view>& pieces) {
    const std::unique_ptr<archive_entry, FreeEntry> header{archive_entry_new()};
    archive_entry_set_pathname(header.get(), entry.path.c_str());
    archive_entry_set_perm(header.get(), 0644);
    archive_entry_set_mtime(header.get(), entry.mtime, 0);
    archive_entry_set_uid(header.get(), ::getuid());
    archive_entry_set_gid(header.get(), ::getgid());
    if (entry.kind == ArchiveEntry::Kind::symlink) {
        archive_entry_set_filetype(header.get(), AE_IFLNK);
        archive_entry_set_symlink(header.get(), entry.target.c_str());
    } else {
        std::size_t bytes = 0;
        for (const std::string_view piece : pieces) bytes += piece.size();
        archive_entry_set_filetype(header.get(), AE_IFREG);
        archive_entry_set_size(header.get(), static_cast<la_int64_t>(bytes));
    }
    if (archive_write_header(archive_.get(), header.get()) != ARCHIVE_OK)
        return error_of(archive_.get());
    for (const std::string_view piece : pieces)
        if (!piece.empty() && archive_write_data(archive_.get(), piece.data(), piece.size()) < 0)
            return error_of(archive_.get());
    return {};
}

Result<void> ArchiveWriter::close() {
    if (archive_write_close(archive_.get()) != ARCHIVE_OK) return error_of(archive_.get());
    return {};
}

Result<ArchiveReader> ArchiveReader::open(const std::string& path) {
    ArchiveReader reader;
    archive* file = archive_read_new();
    reader.archive_.reset(file);
    for (const auto support : readable_formats) support(file);
    archive_read_support_filter_all(file);
    const int rc = path == "-" ? archive_read_open_FILE(file, stdin)
                               : archive_read_open_filename(file, path.c_str(), block_bytes);
    if (rc != ARCHIVE_OK) return error_of(file);
    return reader;
}

Result<std::optional<ArchiveEntry>> ArchiveReader::next() {
    archive_entry* header = nullptr;
    const int rc = archive_read_next_header(archive_.get(), &header);
    if (rc == ARCHIVE_EOF) return std::optional<ArchiveEntry>{};
    if (rc != ARCHIVE_OK) return error_of(archive_.get());
    ArchiveEntry entry;
    const auto type = archive_entry_filetype(header);
    if (type == AE_IFLNK) entry.kind = ArchiveEntry::Kind::symlink;
    else if (type != AE_IFREG) entry.kind = ArchiveEntry::Kind::other;
    entry.path = text_or_empty(archive_entry_pathname(header));
    entry.target = text_or_empty(archive_entry_symlink(header));
    entry.bytes = static_cast<std::uint64_t>(archive_entry_size(header));
    entry.mtime = archive_entry_mtime(header);
    return std::optional{std::move(entry)};
}

Result<std::string> ArchiveReader::read(const ArchiveEntry& entry) {
    std::string data(entry.bytes, '\0');
    std::size_t done = 0;
    while (done < data.size()) {
        const la_ssize_t count =
            archive_read_data(archive_.get(), data.data() + done, data.size() - done);
        if (count < 0) return error_of(archive_.get());
        if (count == 0) return fail(EIO, "short read from archive");
        done += static_cast<std::size_t>(count);
    }
    return data;
}

}  // namespace sluice
