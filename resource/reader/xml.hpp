// XML documents as events, read by expat, which bounds what entities may expand to. The only
// includer of expat is xml.cpp.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sluice {

struct XmlEvents {
    using Attributes = std::map<std::string, std::string, std::less<>>;
    std::function<void(std::string_view name, const Attributes& attributes)> start;
    std::function<void(std::string_view name)> end;
    std::function<void(std::string_view text)> text;
};

/// Errors: EINVAL "line N: what is wrong"; nested over 64 deep; documents that define entities.
Result<void> parse_xml(std::string_view document, XmlEvents events);

}  // namespace sluice
