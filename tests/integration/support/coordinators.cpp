#include "tests/integration/support/coordinators.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace muster::integration {

namespace {

std::string quoted(const std::string& text) { return Json(text).dump(); }

}  // namespace

Json addition_of(const std::string& name) {
    return {{"verb", "task add"},
            {"request_id", new_request_id()},
            {"task", {{"name", name}, {"instances", 0}, {"argv", {"/bin/true"}}}}};
}

bool is_of_leader(const Json& answer) {
    return !answer.contains("standby") &&
           (answer.at("ok") == true || answer.at("error").at("code") != "not_leader");
}

Coordinators::Coordinators(CoordinatorsOptions options) : env_{std::move(options.env)} {
    env_.resize(options.count);
    programs_.resize(options.count,
                     options.program.empty() ? program("muster-coordinator") : options.program);
    for (std::size_t at = 0; at < options.count; ++at) {
        homes_.push_back(std::make_unique<Directory>());
        endpoints_.push_back(free_endpoints());
        processes_.emplace_back();
        const std::string& home = homes_.back()->path();
        const Endpoints& own = endpoints_.back();
        write_text(home + "/coordinator.toml",
                   "insecure_loopback = true\nstate_dir = " + quoted(home + "/state") +
                       "\nrun_dir = " + quoted(home + "/run") + "\n[endpoints]\nagents = " +
                       quoted(own.agents) + "\noperators = " + quoted(own.operators) +
                       "\nevents = " + quoted(own.events) + "\nhttp = " + quoted(own.http) +
                       "\n[cluster]\nround = " + quoted(in_ms(pace())) +
                       "\nsilent_after = 10\nlost_after = 30\n" + options.cluster +
                       (options.etcd_of.empty() ? options.etcd : options.etcd_of.at(at)));
        start(at);
    }
    static_cast<void>(await_leader());
}

std::string Coordinators::agents() const {
    std::string all;
    for (const Endpoints& one : endpoints_) {
        all += (all.empty() ? "" : ",") + one.agents;
    }
    return all;
}

std::vector<std::string> Coordinators::operators() const {
    std::vector<std::string> all;
    for (const Endpoints& one : endpoints_) {
        all.push_back(one.operators);
    }
    return all;
}

void Coordinators::start(std::size_t which) {
    const std::string& home = homes_.at(which)->path();
    processes_.at(which) = std::make_unique<Process>(
        Command{.argv = {programs_.at(which), "--config", home + "/coordinator.toml"},
                .env = env_.at(which),
                .output = home + "/log",
                .errors = home + "/log"});
}

void Coordinators::replace(std::size_t which, const std::string& program) {
    processes_.at(which)->signal(SIGTERM);
    static_cast<void>(processes_.at(which)->wait(soon()));
    programs_.at(which) = program;
    start(which);
}

void Coordinators::kill(std::size_t which) {
    processes_.at(which)->signal(SIGKILL);
    static_cast<void>(processes_.at(which)->wait(soon()));
}

bool Coordinators::running(std::size_t which) const { return processes_.at(which)->running(); }

void Coordinators::restart_ended() {
    for (std::size_t at = 0; at < size(); ++at) {
        if (!running(at)) {
            start(at);
        }
    }
}

std::string Coordinators::log_of(std::size_t which) const {
    return text_of(homes_.at(which)->path() + "/log");
}

std::optional<std::size_t> Coordinators::leader() const {
    const auto found = ask_leader(operators(), {{"verb", "status"}}, Clock::now() + paces(5));
    return found ? std::optional{found->by} : std::nullopt;
}

std::size_t Coordinators::await_leader() {
    std::optional<std::size_t> found;
    if (!until([&] {
            restart_ended();
            found = leader();
            return found.has_value();
        })) {
        std::string logs;
        for (std::size_t at = 0; at < size(); ++at) {
            logs += "\n---- " + std::to_string(at) + "\n" + log_of(at);
        }
        throw std::runtime_error{"nobody leads:" + logs};
    }
    return *found;
}

Json Coordinators::ask(const Json& request, Deadline deadline) const {
    while (Clock::now() < deadline) {
        // Each time anew: another may lead meanwhile.
        const Deadline again = std::min(deadline, Clock::now() + paces(20));
        if (const auto found = ask_leader(operators(), request, again)) {
            return found->answer;
        }
    }
    throw std::runtime_error{"no answer to " + request.dump()};
}

std::optional<Answered> ask_leader(const std::vector<std::string>& operators, const Json& request,
                                   Deadline deadline) {
    std::vector<Client> asked;
    for (const std::string& endpoint : operators) {
        asked.emplace_back(zmq::socket_type::req, endpoint);
        asked.back().send(request.dump());
    }
    std::optional<Answered> found;
    std::size_t others = 0;  // Answers of coordinators that do not lead.
    static_cast<void>(until(
        [&] {
            for (std::size_t at = 0; at < asked.size() && !found; ++at) {
                const auto answer = asked[at].receive(Clock::now());
                if (answer && is_of_leader(Json::parse(answer->front()))) {
                    found = Answered{.by = at, .answer = Json::parse(answer->front())};
                } else if (answer) {
                    ++others;
                }
            }
            return found.has_value() || others == asked.size();
        },
        deadline));
    return found;
}

}  // namespace muster::integration
