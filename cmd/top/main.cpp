// flux-top: shows what an instance does, on the whole terminal. A program of its own, so that no
// other command loads ncurses.
#define NCURSES_NOMACROS  // its macros have the names of members of everything
#include <ncurses.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/client.hpp"
#include "cmd/color.hpp"
#include "cmd/commands.hpp"
#include "cmd/job_query.hpp"
#include "cmd/option_listing.hpp"
#include "cmd/top/facts.hpp"
#include "cmd/uri_resolver.hpp"

namespace sluice {
namespace {

constexpr int refresh_every_ms = 2000;
constexpr int key_redraw = 'l' & 0x1f, key_escape = 27;

struct TopOptions {
    ColorWhen color = ColorWhen::automatic;
    std::optional<std::string> queue;
    bool test_exit = false;
    std::string dump;
};

/// The terminal in ncurses' hands; given back at the end.
class Screen {
  public:
    explicit Screen(bool color) {
        ::initscr();
        ::cbreak();
        ::noecho();
        ::keypad(stdscr, true);
        ::curs_set(0);
        ::set_escdelay(25);
        if (color && ::has_colors()) {
            ::start_color();
            ::use_default_colors();
            ::init_pair(instance_pair, COLOR_BLUE, -1);
        }
    }
    ~Screen() { ::endwin(); }
    Screen(const Screen&) = delete;

    TopView view() const {
        return {.columns = static_cast<std::size_t>(COLS), .rows = static_cast<std::size_t>(LINES)};
    }
    void show(const std::vector<TopLine>& lines) {
        ::erase();
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const int attributes = attributes_of(lines[i].look);
            ::attron(attributes);
            ::mvaddstr(static_cast<int>(i), 0, lines[i].text.c_str());
            ::attroff(attributes);
        }
        ::refresh();
    }

  private:
    static constexpr short instance_pair = 1;
    static int attributes_of(TopLine::Look look) {
        switch (look) {
            case TopLine::Look::plain:
                return A_NORMAL;
            case TopLine::Look::heading:
            case TopLine::Look::selected:
                return A_REVERSE;
            case TopLine::Look::instance:
                return A_BOLD | COLOR_PAIR(instance_pair);
        }
        return A_NORMAL;
    }
};

/// The instance that is shown, and those above it that were left for it.
class Top {
  public:
    Top(Handle flux, const TopOptions& options) : options_(options) {
        instances_.push_back(std::move(flux));
    }

    /// Errors: the connection of the first instance is lost.
    Result<void> run() {
        SLUICE_CHECK(load());
        Screen screen(use_color(options_.color));
        for (;;) {
            const std::vector<TopLine> lines = draw(screen);
            if (options_.test_exit) return dump(lines);
            ::timeout(refresh_every_ms);
            const int key = ::getch();
            if (key == ERR) beat_ = !beat_;
            if (key != ERR && !on_key(key)) return {};
            if (key == ERR) SLUICE_CHECK(reload());
        }
    }

  private:
    std::vector<TopLine> draw(Screen& screen) {
        TopView view = screen.view();
        view.selected = selected_;
        view.details = details_;
        view.beat = beat_;
        std::vector<TopLine> lines = top_screen(facts_.summary, facts_.jobs, view);
        screen.show(lines);
        return lines;
    }

    Result<void> load() {
        SLUICE_TRY(facts_, load_top_facts(instances_.back(), options_.queue));
        if (selected_ >= facts_.jobs.size())
            selected_ = facts_.jobs.empty() ? 0 : facts_.jobs.size() - 1;
        return {};
    }

    /// An instance within may end while it is shown: back to the one above.
    Result<void> reload() {
        while (true) {
            const Result<void> done = load();
            if (done || instances_.size() == 1) return done;
            instances_.pop_back();
            selected_ = 0;
        }
    }

    /// False to end.
    bool on_key(int key) {
        switch (key) {
            case 'q':
            case key_escape:
                if (instances_.size() == 1) return false;
                return leave();
            case 'j':
            case KEY_DOWN:
                if (selected_ + 1 < facts_.jobs.size()) ++selected_;
                return true;
            case 'k':
            case KEY_UP:
                if (selected_ > 0) --selected_;
                return true;
            case 'h':
            case KEY_LEFT:
            case KEY_BACKSPACE:
                return leave();
            case 'l':
            case '\n':
            case KEY_ENTER:
            case KEY_RIGHT:
                return enter();
            case 'd':
                details_ = !details_;
                return true;
            case key_redraw:
                ::clear();
                return true;
        }
        return true;
    }

    bool enter() {
        if (selected_ >= facts_.uris.size() || facts_.uris[selected_].empty()) return true;
        auto flux = Handle::open(reachable_uri(facts_.uris[selected_]));
        if (!flux) return ::beep(), true;
        instances_.push_back(*std::move(flux));
        selected_ = 0;
        return reload().has_value();
    }

    bool leave() {
        if (instances_.size() > 1) instances_.pop_back();
        selected_ = 0;
        return reload().has_value();
    }

    Result<void> dump(const std::vector<TopLine>& lines) const {
        if (options_.dump.empty()) return {};
        std::ofstream file(options_.dump);
        for (const TopLine& line : lines) file << line.text << '\n';
        return file.flush() ? Result<void>{} : fail(errno, "{}: cannot write", options_.dump);
    }

    const TopOptions& options_;
    std::vector<Handle> instances_;
    TopFacts facts_;
    std::size_t selected_ = 0;
    bool details_ = false, beat_ = false;
};

int run_top(int argc, char** argv) {
    Cli cli("flux-top", CliStyle::c_tool, "[OPTIONS] [TARGET]",
            "Show what an instance does, on the whole terminal.");
    TopOptions options;
    cli.option("--color[=WHEN]", color_into(options.color), "never, always or auto");
    cli.option("-q,--queue=NAME", options.queue, "Show only this queue");
    cli.flag("--test-exit", options.test_exit, "");
    cli.option("--test-exit-dump=FILE", options.dump, "");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > 1) return cli.usage_error("give one target");
    if (!::isatty(STDIN_FILENO)) return cli.error("stdin is not a terminal");
    std::optional<Handle> flux;
    if (cli.words().empty()) {
        flux = open_flux(cli, CliStyle::c_tool);
        if (!flux) return 1;
    } else {
        const auto uri = resolve_target_uri(cli.words()[0], UriForm::reachable);
        if (!uri) return cli.error(uri.error().text());
        auto opened = Handle::open(*uri);
        if (!opened) return cli.error(fmt::format("{}: {}", *uri, opened.error().text()));
        flux = *std::move(opened);
    }
    const Result<void> done = Top(*std::move(flux), options).run();
    return done ? 0 : cli.error(done.error().text());
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) {
    std::setlocale(LC_ALL, "");
    // `flux` gives the command's word first; --list-options asks for the table.
    const bool listing = argc > 1 && std::string_view(argv[1]) == "--list-options";
    const sluice::Command command{"top", sluice::run_top, ""};
    if (!listing) return sluice::run_top(argc - 1, argv + 1);
    sluice::print_option_table(command);
    return 0;
}
