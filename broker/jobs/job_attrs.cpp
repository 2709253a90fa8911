#include "broker/jobs/job_attrs.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json_text.hpp"

namespace sluice {
namespace {

/// Writes one member into the text of an object.
class Member {
  public:
    Member(std::string& out, std::string_view name) : out_(out), name_(name) {}
    template <class Value>
    void operator()(const Value& value) const {
        name();
        append_json(out_, value);
    }
    void operator()(const std::vector<std::string>& texts) const {
        name();
        char before = '[';
        for (const std::string& text : texts) {
            out_ += std::exchange(before, ',');
            append_json(out_, std::string_view{text});
        }
        out_ += texts.empty() ? "[]" : "]";
    }

    void raw(std::string_view json) const {
        name();
        out_ += json;
    }

  private:
    void name() const {
        out_ += ",\"";
        out_ += name_;
        out_ += "\":";
    }
    std::string& out_;
    std::string_view name_;
};

template <auto Text>
void text(const Job& job, const Member& put) {
    if (!(job.*Text).empty()) put(std::string_view{job.*Text});
}

/// A time or a count that is not known yet is 0.
template <auto Number>
void number(const Job& job, const Member& put) {
    if (job.*Number != 0) put(job.*Number);
}

struct Row {
    std::string_view name;
    void (*put)(const Job&, const Member&);  // writes nothing for what is not set
};

const std::array<Row, 34> rows{{
    {"userid", [](const Job& job, const Member& put) { put(job.userid.value); }},
    {"urgency", [](const Job& job, const Member& put) { put(job.urgency); }},
    {"priority", [](const Job& job, const Member& put) {
         if (job.priority >= 0) put(job.priority);
     }},
    {"t_submit", number<&Job::t_submit>},
    {"t_depend", number<&Job::t_depend>},
    {"t_priority", number<&Job::t_priority>},
    {"t_sched", number<&Job::t_sched>},
    {"t_run", number<&Job::t_run>},
    {"t_cleanup", number<&Job::t_cleanup>},
    {"t_inactive", number<&Job::t_inactive>},
    {"state", [](const Job& job, const Member& put) { put(static_cast<int>(job.state)); }},
    {"name", text<&Job::name>},
    {"cwd", text<&Job::cwd>},
    {"queue", text<&Job::queue>},
    {"project", [](const Job& job, const Member& put) {
         if (!job.rare().project.empty()) put(std::string_view{job.rare().project});
     }},
    {"bank", [](const Job& job, const Member& put) {
         if (!job.rare().bank.empty()) put(std::string_view{job.rare().bank});
     }},
    {"ntasks", number<&Job::ntasks>},
    {"ncores", number<&Job::ncores>},
    {"duration", [](const Job& job, const Member& put) { put(job.duration); }},
    {"nnodes", number<&Job::nnodes>},
    {"ranks", text<&Job::ranks>},
    {"nodelist", text<&Job::nodelist>},
    {"success", [](const Job& job, const Member& put) {
         if (job.inactive()) put(job.success());
     }},
    {"exception_occurred", [](const Job& job, const Member& put) {
         if (job.inactive()) put(job.rare().exception.has_value());
     }},
    {"exception_type", [](const Job& job, const Member& put) {
         if (job.rare().exception) put(std::string_view{job.rare().exception->type});
     }},
    {"exception_severity", [](const Job& job, const Member& put) {
         if (job.rare().exception) put(job.rare().exception->severity);
     }},
    {"exception_note", [](const Job& job, const Member& put) {
         if (job.rare().exception) put(std::string_view{job.rare().exception->note});
     }},
    {"result", [](const Job& job, const Member& put) {
         if (job.inactive()) put(static_cast<int>(job.result));
     }},
    {"expiration", [](const Job& job, const Member& put) {  // 0: no end
         if (job.t_run != 0) put(job.expiration);
     }},
    {"annotations", [](const Job& job, const Member& put) {
         if (!job.annotations.empty()) put.raw(job.annotations.text());
     }},
    {"waitstatus", [](const Job& job, const Member& put) {
         if (job.waitstatus) put(*job.waitstatus);
     }},
    {"dependencies", [](const Job& job, const Member& put) {
         if (job.had_dependencies) put(job.rare().dependencies);
     }},
    {"id", [](const Job&, const Member&) {}},  // always there
    {"all", [](const Job&, const Member&) {}},
}};
constexpr std::size_t listed = 32;  // rows before these are attributes that list-attrs names

}  // namespace

Result<JobAttrs> JobAttrs::from_json(const JsonArray& names) {
    JobAttrs attrs;
    const auto add = [&](std::size_t row) {
        if (std::ranges::find(attrs.rows_, row) == attrs.rows_.end()) attrs.rows_.push_back(row);
    };
    for (const Json& name : names) {
        if (!name.is_string())
            return fail(EPROTO, "attrs: want strings, found {}", dump_json(name));
        const std::string_view wanted{name.as_string()};
        if (wanted == "all") {
            for (std::size_t i = 0; i < listed; ++i) add(i);
            continue;
        }
        std::size_t i = 0;
        while (i < rows.size() && rows[i].name != wanted) ++i;
        if (i == rows.size()) return fail(EINVAL, "{} is not a valid attribute", wanted);
        add(i);
    }
    return attrs;
}

JsonArray JobAttrs::names() {
    JsonArray names;
    for (std::size_t i = 0; i < listed; ++i) names.emplace_back(rows[i].name);
    names.emplace_back("all");
    return names;
}

void JobAttrs::append(const Job& job, std::string& out) const {
    out += "{\"id\":";
    append_json(out, job.id.value);
    for (const std::size_t i : rows_) rows[i].put(job, Member{out, rows[i].name});
    out += '}';
}

}  // namespace sluice
