#include "cmd/table_output.hpp"

#include "cmd/client.hpp"

namespace sluice {

void TableOutput::declare(Cli& cli) {
    cli.option("-o,--format=FORMAT", wanted_, "output format: a name, a format string, or help");
    cli.flag("-n,--no-header", no_header_, "leave out the header line");
}

std::optional<int> TableOutput::choose(
    const Cli& cli, const FormatCatalog& catalog,
    const std::function<std::optional<std::string>(std::string_view)>& heading_of) {
    const auto choice = choose_user_format(catalog, wanted_);
    if (!choice) return cli.error(choice.error().text());
    if (!choice->text.empty()) return write_stdout(choice->text), 0;
    auto format = OutputFormat::parse(choice->format, heading_of);
    if (!format) return cli.error("Error in user format: " + format.error().text());
    format_ = *std::move(format);
    return std::nullopt;
}

void TableOutput::write(Table& table) {
    write_stdout(table.text());
}

}  // namespace sluice
