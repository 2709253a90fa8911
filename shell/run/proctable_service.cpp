#include "shell/run/proctable_service.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <chrono>

namespace sluice::shell {
namespace {

/// A shell that has ended gives no answer.
constexpr std::chrono::seconds answer_max{5};

}  // namespace

struct ProctableService::Gathering {
    Gathering(boost::asio::io_context& io, Message asked) : request(std::move(asked)), timer(io) {}
    Message request;
    boost::asio::steady_timer timer;
    std::vector<TaskProcess> processes;
    std::size_t missing = 0;
    bool over = false;
};

void ProctableService::on_request(const Message& request) {
    if (info_.leader() && info_.nnodes > 1) return gather(request);
    Message response = Message::response(request, 0);
    response.set_json(encode_proctable(own_processes()));
    handle_.send_message(response);
}

std::vector<TaskProcess> ProctableService::own_processes() const {
    std::vector<TaskProcess> processes;
    for (const auto& task : tasks_)
        processes.push_back({info_.hostname, task->pid(), task->rank(), info_.rank.value,
                             info_.jobspec.command.front()});
    return processes;
}

void ProctableService::gather(const Message& request) {
    const auto gathering = std::make_shared<Gathering>(handle_.io(), request);
    gathering->processes = own_processes();
    gathering->missing = info_.nnodes - 1;
    gathering->timer.expires_after(answer_max);
    gathering->timer.async_wait([this, gathering](const boost::system::error_code& error) {
        if (!error) finish(gathering);
    });
    for (std::uint32_t shell = 1; shell < info_.nnodes; ++shell) {
        const auto on_reply = [this, gathering](const Reply& reply) {
            const auto table = reply.json();
            const auto processes = table ? decode_proctable(*table)
                                         : Result<std::vector<TaskProcess>>{table.error()};
            if (!processes) return finish(gathering);
            gathering->processes.insert(gathering->processes.end(), processes->begin(),
                                        processes->end());
            if (--gathering->missing == 0) finish(gathering);
        };
        handle_.send(info_.service() + ".proctable", JsonObject{},
                     {.nodeid = info_.broker_rank(shell)}, on_reply);
    }
}

void ProctableService::finish(const std::shared_ptr<Gathering>& gathering) {
    if (std::exchange(gathering->over, true)) return;
    gathering->timer.cancel();
    Message response =
        Message::response(gathering->request, gathering->missing == 0 ? 0 : ECANCELED);
    if (gathering->missing == 0) {
        std::ranges::sort(gathering->processes, {}, &TaskProcess::rank);
        response.set_json(encode_proctable(gathering->processes));
    }
    handle_.send_message(response);
}

}  // namespace sluice::shell
