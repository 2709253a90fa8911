#include "broker/jobs/event_batch.hpp"

namespace sluice {

void EventBatch::append(JobId id, std::string_view path, std::string_view lines) {
    const auto [place, is_new] =
        places_.try_emplace(LogKey{id, std::string{path}}, store_->appends.size());
    if (is_new) store_->appends.push_back({id, std::string{path}, {}});
    store_->appends[place->second].data += lines;
}

void EventBatch::add(JournalEntry entry) {
    append(entry.id, main_log, encode_event(entry.event));
    journal_.push_back(std::move(entry));
}

EventBatch::Contents EventBatch::take() {
    Contents contents{std::move(store_), std::move(journal_), std::move(after_)};
    *this = EventBatch{};
    return contents;
}

}  // namespace sluice
