#include "shell/run/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/base64.hpp"

namespace sluice::shell {
namespace {

constexpr const char* output_path = "guest.output";
constexpr std::chrono::seconds follower_pause{1};

bool write_all(int fd, std::string_view data) {
    while (!data.empty()) {
        const ssize_t written = ::write(fd, data.data(), data.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        data.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// `data` with "rank: " before each line; `mid_line` carries over to the next call.
std::string labelled(std::uint32_t rank, std::string_view data, bool& mid_line) {
    std::string out;
    while (!data.empty()) {
        const std::string_view line = take_line(data);
        if (!mid_line) out += fmt::format("{}: ", rank);
        out += line;
        mid_line = line.back() != '\n';
    }
    return out;
}

Idset all_tasks(const TaskPlan& plan) {
    return Idset::range(0, plan.ntasks - 1);
}

}  // namespace

std::string_view stream_name(Stream stream) {
    return stream == Stream::out ? "stdout" : "stderr";
}

Result<void> Output::begin(const MustacheValues& values) {
    if (parts_.info.leader())
        parts_.log.add(output_path, output_header(wall_clock_now(), parts_.plan.ntasks));
    for (const Stream stream : {Stream::out, Stream::err}) {
        sink(stream).options = stream == Stream::out ? &parts_.options.out : &parts_.options.err;
        SLUICE_CHECK(open_sink(stream, values));
    }
    return {};
}

Result<void> Output::open_sink(Stream stream, MustacheValues values) {
    Sink& to = sink(stream);
    if (to.options->type != StreamOptions::Type::file) return {};
    const std::string& path = to.options->path;
    values.task.reset();
    if (has_task_tag(path)) {
        to.place = Sink::Place::local_files;
        for (std::uint32_t localid = 0; localid < parts_.plan.ranks.size(); ++localid) {
            const std::uint32_t rank = parts_.plan.ranks[localid];
            values.task = {rank, localid};
            const std::string own_path = render(path, values);
            SLUICE_TRY(to.files[rank], open_file(own_path));
            redirected(stream, Idset{rank}, own_path);
        }
        return {};
    }
    const bool per_node = has_node_tag(path);
    to.place =
        per_node || parts_.info.leader() ? Sink::Place::local_files : Sink::Place::leader_file;
    if (to.place == Sink::Place::leader_file) return {};
    const std::string own_path = render(path, values);
    SLUICE_TRY(const std::shared_ptr<File> file, open_file(own_path));
    Idset ranks;
    for (const std::uint32_t rank : parts_.plan.ranks) ranks.insert(rank);
    if (!per_node) ranks = all_tasks(parts_.plan);
    for (const Idset::Id rank : ranks) to.files[rank] = file;
    if (!ranks.empty()) redirected(stream, ranks, own_path);
    return {};
}

Result<std::shared_ptr<Output::File>> Output::open_file(const std::string& path) {
    if (const auto found = open_files_.find(path); found != open_files_.end()) return found->second;
    const int mode = parts_.options.append ? 0 : O_TRUNC;
    auto file = std::make_shared<File>();
    file->fd =
        OwnedFd{::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | mode, 0666)};
    if (file->fd.get() < 0)
        return fail(errno, "error opening output file '{}': {}", path, Error{errno}.text());
    open_files_[path] = file;
    return file;
}

void Output::redirected(Stream stream, const Idset& ranks, const std::string& path) {
    parts_.log.add(output_path, redirect_record(wall_clock_now(), stream_name(stream),
                                                ranks.to_bracketed(), path));
}

void Output::write(Stream stream, std::uint32_t rank, std::string_view data) {
    if (data.empty()) return;
    Sink& to = sink(stream);
    switch (to.place) {
        case Sink::Place::eventlog:
            record(stream, rank, data);
            break;
        case Sink::Place::local_files:
            write_file(to, rank, data);
            break;
        case Sink::Place::leader_file:
            send_to_leader(stream, rank, data);
            break;
    }
}

void Output::end(Stream stream, std::uint32_t rank) {
    if (sink(stream).place != Sink::Place::eventlog) return;
    parts_.log.add(output_path,
                   eof_record(wall_clock_now(), stream_name(stream), std::to_string(rank)));
}

void Output::record(Stream stream, std::uint32_t rank, std::string_view data) {
    Sink& to = sink(stream);
    const std::uint64_t limit = parts_.options.output_limit;
    if (!to.full && to.recorded + data.size() > limit) {
        to.full = true;
        const std::size_t fits = whole_characters(data.substr(0, limit - to.recorded));
        keep(stream, rank, data.substr(0, fits));
        data.remove_prefix(fits);
    }
    if (to.full) return pass_on(stream, rank, data);
    keep(stream, rank, data);
}

/// One record a line where output goes by lines, unless it comes faster than it is taken.
std::string Output::records(Stream stream, std::uint32_t rank, std::string_view data) {
    const std::string task = std::to_string(rank);
    const double now = wall_clock_now();
    const bool line_buffered = sink(stream).options->line_buffered;
    std::string lines;
    while (!data.empty()) {
        const bool by_line = line_buffered && !parts_.log.busy_with(lines.size());
        const std::string_view next = by_line ? take_line(data) : std::exchange(data, {});
        lines += encode_event(data_record(now, stream_name(stream), task, next));
    }
    return lines;
}

void Output::keep(Stream stream, std::uint32_t rank, std::string_view data) {
    if (data.empty()) return;
    sink(stream).recorded += data.size();
    parts_.log.add_lines(output_path, records(stream, rank, data));
}

/// What is over the limit is for those who follow the output now; nobody else will see it.
void Output::pass_on(Stream stream, std::uint32_t rank, std::string_view data) {
    Sink& to = sink(stream);
    const auto now = std::chrono::steady_clock::now();
    if (now < to.try_again) return lose(stream, data.size());
    to.unanswered += data.size();
    parts_.log.pass_on(output_path, records(stream, rank, data),
                       [this, stream, bytes = data.size()](bool watched) {
                           on_passed_on(stream, bytes, watched);
                       });
}

void Output::on_passed_on(Stream stream, std::uint64_t bytes, bool watched) {
    Sink& from = sink(stream);
    from.unanswered -= bytes;
    if (watched) {
        from.passed_on += bytes;
    } else {
        from.try_again = std::chrono::steady_clock::now() + follower_pause;
        lose(stream, bytes);
    }
    if (settled()) on_settled_();
}

void Output::lose(Stream stream, std::uint64_t bytes) {
    Sink& from = sink(stream);
    if (from.dropped == 0 && !ended_)
        log({LogLevel::warning, "output.kvs",
             fmt::format("{} will be truncated, {} limit exceeded", stream_name(stream),
                         parts_.options.output_limit_text)});
    from.dropped += bytes;
}

void Output::finish() {
    ended_ = true;
    for (const Stream stream : {Stream::out, Stream::err}) {
        const Sink& from = sink(stream);
        const std::uint64_t shown = from.passed_on + from.unanswered;
        const std::uint64_t all = from.recorded + from.dropped + shown;
        if (from.dropped > 0)
            log({LogLevel::warning, "output.kvs",
                 fmt::format("{}: {} of {} bytes truncated", stream_name(stream), from.dropped,
                             all)});
        if (shown > 0)
            log({LogLevel::notice, "output.kvs",
                 fmt::format("{}: {} of {} bytes were shown but not kept, limit {}",
                             stream_name(stream), shown, all,
                             parts_.options.output_limit_text)});
    }
}

void Output::write_file(Sink& to, std::uint32_t rank, std::string_view data) {
    const auto found = to.files.find(rank);
    if (found == to.files.end()) return;
    File& file = *found->second;
    bool& mid_line = mid_line_[&to - sinks_][rank];
    const bool ok = to.options->label ? write_all(file.fd.get(), labelled(rank, data, mid_line))
                                      : write_all(file.fd.get(), data);
    if (ok || file.failed) return;
    file.failed = true;
    log({LogLevel::error, "", fmt::format("write {}: {}", to.options->path, Error{errno}.text())});
}

void Output::send_to_leader(Stream stream, std::uint32_t rank, std::string_view data) {
    JsonObject payload = data_record(1, stream_name(stream), std::to_string(rank), data).context;
    payload["shell_rank"] = parts_.info.shell_rank;
    unwritten_bytes_ += data.size();
    parts_.handle.send(parts_.info.service() + ".write", payload,
                       {.nodeid = parts_.info.broker_rank(0)},
                       [this, bytes = data.size()](const Reply&) {
                           const bool was_congested = congested();
                           unwritten_bytes_ -= bytes;
                           if (was_congested && !congested()) on_relief_();
                       });
}

void Output::on_remote_write(const JsonObject& payload) {
    const auto io = decode_io(payload);
    const Json* stream = payload.if_contains("stream");
    if (!io || !stream || !stream->is_string()) return;  // not from a shell of ours
    const auto ranks = Idset::parse(io->rank);
    if (!ranks || ranks->size() != 1) return;
    write(stream->get_string() == "stderr" ? Stream::err : Stream::out, ranks->first(), io->data);
}

bool Output::log_to_file(const LogText& text) {
    Sink& to = sink(Stream::err);
    const std::string line = log_line(parts_.info.shell_rank, text);
    if (to.place == Sink::Place::leader_file && !parts_.plan.ranks.empty()) {
        send_to_leader(Stream::err, parts_.plan.ranks.front(), line);
        return true;
    }
    if (to.place != Sink::Place::local_files || to.files.empty()) return false;
    const File& file = *to.files.begin()->second;
    return !file.failed && write_all(file.fd.get(), line);
}

void Output::log(const LogText& text) {
    const bool is_told = text.level != LogLevel::debug && text.level != LogLevel::trace;
    if (log_to_file(text) && !is_told) return;
    parts_.log.add(output_path, log_record(wall_clock_now(), parts_.info.shell_rank, text));
}

}  // namespace sluice::shell
