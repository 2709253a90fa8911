// RFC 29 - hostlists: the compressed form reads back as the same list.
#include "base/rfc/hostlist.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    auto list = Hostlist::parse(text);
    if (!list || list->size() > 4096) return;  // large ones only cost time
    fuzz::expect_same(*list, Hostlist::parse(list->to_string()));
    const std::size_t size = list->size();
    list->sort();
    SLUICE_ASSERT(list->size() == size);
    list->uniq();
    for (std::size_t i = 0; i < list->size(); ++i) SLUICE_ASSERT(list->find((*list)[i]) == i);
}
