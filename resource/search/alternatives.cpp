#include "resource/search/alternatives.hpp"

namespace sluice {
namespace {

constexpr std::size_t combinations_max = 1000;

}  // namespace

Result<std::vector<std::vector<Request>>> expand_alternatives(
    const std::vector<Request>& requests) {
    std::vector<std::vector<Request>> required(1);
    std::vector<Request> choices;
    for (const Request& request : requests) {
        SLUICE_TRY(const auto below, expand_alternatives(request.with));
        if (request.type == "xor_slot") {
            for (const auto& with : below) {
                choices.push_back(request);
                choices.back().type = "slot";
                choices.back().with = with;
            }
            continue;
        }
        std::vector<std::vector<Request>> next;
        for (const auto& before : required)
            for (const auto& with : below) {
                next.push_back(before);
                next.back().push_back(request);
                next.back().back().with = with;
                if (next.size() > combinations_max)
                    return fail(EOVERFLOW, "the alternatives make over {} combinations",
                                combinations_max);
            }
        required = std::move(next);
    }
    if (choices.empty()) return required;
    std::vector<std::vector<Request>> all;
    for (const auto& before : required)
        for (const Request& choice : choices) {
            if (all.size() >= combinations_max)
                return fail(EOVERFLOW, "the alternatives make over {} combinations",
                            combinations_max);
            all.push_back(before);
            all.back().push_back(choice);
        }
    return all;
}

}  // namespace sluice
