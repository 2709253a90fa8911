#include "resource/reader/xml.hpp"

#include <expat.h>

#include <climits>
#include <memory>
#include <type_traits>

namespace sluice {
namespace {

constexpr int depth_max = 64;

struct ParserFree {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};
using Parser = std::unique_ptr<std::remove_pointer_t<XML_Parser>, ParserFree>;

struct Reading {
    XmlEvents events;
    XML_Parser parser;
    int depth = 0;
    const char* refused = nullptr;

    void refuse(const char* why) {
        refused = why;
        XML_StopParser(parser, XML_FALSE);
    }
};

void XMLCALL on_start(void* data, const XML_Char* name, const XML_Char** attributes) {
    Reading& reading = *static_cast<Reading*>(data);
    if (++reading.depth > depth_max) return reading.refuse("nested over 64 deep");
    XmlEvents::Attributes found;
    for (; *attributes; attributes += 2) found[attributes[0]] = attributes[1];
    reading.events.start(name, found);
}

void XMLCALL on_end(void* data, const XML_Char* name) {
    Reading& reading = *static_cast<Reading*>(data);
    --reading.depth;
    reading.events.end(name);
}

void XMLCALL on_text(void* data, const XML_Char* text, int length) {
    static_cast<Reading*>(data)->events.text({text, static_cast<std::size_t>(length)});
}

void XMLCALL on_entity(void* data, const XML_Char*, int, const XML_Char*, int, const XML_Char*,
                       const XML_Char*, const XML_Char*, const XML_Char*) {
    static_cast<Reading*>(data)->refuse("entity declarations are refused: write the text itself");
}

}  // namespace

Result<void> parse_xml(std::string_view document, XmlEvents events) {
    if (document.size() > INT_MAX) return fail(EINVAL, "the document is over 2 GiB");
    const Parser parser{XML_ParserCreate(nullptr)};
    Reading reading{std::move(events), parser.get()};
    XML_SetUserData(parser.get(), &reading);
    XML_SetElementHandler(parser.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser.get(), on_text);
    XML_SetEntityDeclHandler(parser.get(), on_entity);
    const auto status =
        XML_Parse(parser.get(), document.data(), static_cast<int>(document.size()), XML_TRUE);
    if (status == XML_STATUS_OK) return {};
    return fail(EINVAL, "line {}: {}", XML_GetCurrentLineNumber(parser.get()),
                reading.refused ? reading.refused
                                : XML_ErrorString(XML_GetErrorCode(parser.get())));
}

}  // namespace sluice
