#include "cmd/job/output_printer.hpp"

#include "base/rfc/io_data.hpp"

namespace sluice {
namespace {

/// Level of a shell's log record as printed, with what separates it.
std::string_view level_prefix(std::int64_t level) {
    if (level <= 2) return "FATAL: ";
    switch (level) {
        case 3:
            return "ERROR: ";
        case 4:
            return " WARN: ";
        case 6:
            return "DEBUG: ";
        case 7:
            return "TRACE: ";
        default:
            return "";
    }
}

}  // namespace

Result<void> OutputPrinter::print(const Event& event, double t0) {
    if (event.name == "header") {
        header_seen_ = true;
    } else if (event.name == "data") {
        if (!header_seen_) return fail(EPROTO, "stream data read before header");
        return print_data(event.context);
    } else if (event.name == "redirect") {
        if (options_.redirects) print_redirect(event.context);
    } else if (event.name == "log") {
        print_log(event.context, event.timestamp - t0);
    }
    return {};
}

Result<void> OutputPrinter::print_data(const JsonObject& context) {
    SLUICE_TRY(const IoData io, decode_io(context));
    write(io.stream == "stderr", io.rank, io.data);
    return {};
}

void OutputPrinter::write(bool to_err, std::string_view rank, std::string_view data) {
    if (data.empty()) return;
    if (!options_.label && !options_.tail) return emit(to_err, data);
    std::string labelled;
    while (!data.empty()) {
        const std::size_t end = data.find('\n');
        const std::size_t size = end == std::string_view::npos ? data.size() : end + 1;
        std::string line = options_.label ? fmt::format("{}: ", rank) : "";
        line += data.substr(0, size);
        data.remove_prefix(size);
        if (!options_.tail) {
            labelled += line;
            continue;
        }
        kept_.push_back({to_err, std::move(line)});
        if (kept_.size() > *options_.tail) kept_.pop_front();
    }
    if (!labelled.empty()) emit(to_err, labelled);
}

void OutputPrinter::end_tail() {
    if (!options_.tail) return;
    options_.tail.reset();
    for (const Piece& piece : kept_) emit(piece.to_err, piece.text);
    kept_.clear();
}

void OutputPrinter::emit(bool to_err, std::string_view text) {
    std::FILE* file = to_err ? options_.err : options_.out;
    std::fwrite(text.data(), 1, text.size(), file);
    std::fflush(file);
}

void OutputPrinter::print_redirect(const JsonObject& context) {
    JsonReader in(context);
    const std::string stream = in.string("stream");
    const std::string rank = in.string("rank");
    const std::string path = in.string_or("path", "");
    if (!in) return;
    fmt::print(options_.err, "{}: {} redirected{}{}\n", rank, stream, path.empty() ? "" : " to ",
               path);
}

void OutputPrinter::print_log(const JsonObject& context, double seconds) {
    JsonReader in(context);
    const std::int64_t level = in.integer("level");
    const std::string message = in.string("message");
    const std::int64_t rank = in.integer_or("rank", -1);
    const std::string component = in.string_or("component", "");
    const std::string file = in.string_or("file", "");
    const std::int64_t number = in.integer_or("line", -1);
    if (!in) return;
    std::string line = fmt::format("{:.3f}s: flux-shell", seconds);
    if (rank >= 0) line += fmt::format("[{}]", rank);
    line += fmt::format(": {}", level_prefix(level));
    if (!component.empty()) line += component + ": ";
    if (options_.places && !file.empty())
        line += file + (number > 0 ? fmt::format(":{}: ", number) : ": ");
    line += message;
    if (!line.ends_with('\n')) line += '\n';
    std::fwrite(line.data(), 1, line.size(), options_.err);
}

}  // namespace sluice
