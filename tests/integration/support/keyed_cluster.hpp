#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

/// The public half in a key file, or the first line of admin.pub.
inline std::string public_key(const std::string& path) {
    const std::string text = text_of(path);
    const auto at = text.find("public = \"");
    return text.substr(at == std::string::npos ? 0 : at + 10, 64);
}

/// A program of support/, in Python, and its arguments.
[[nodiscard]] inline std::vector<std::string> hostile(const std::string& script,
                                                      std::vector<std::string> words) {
    words.insert(words.begin(), {"/usr/bin/python3", std::string{MUSTER_SOURCE_DIR} +
                                                         "/tests/integration/support/" + script});
    return words;
}

/// The lines of JSON that it prints.
[[nodiscard]] inline std::vector<Json> lines_of(const Finished& done) {
    INFO(done.output << done.errors);
    REQUIRE(done.exit == Exit{.code = 0});
    std::vector<Json> lines;
    for (std::size_t at = 0; at < done.output.size();) {
        const auto end = std::min(done.output.find('\n', at), done.output.size());
        lines.push_back(Json::parse(done.output.substr(at, end - at)));
        at = end + 1;
    }
    return lines;
}

/// What a peer in another language gets for one message.
[[nodiscard]] inline Json answer_to_stranger(const RealCluster& cluster,
                                             const std::vector<std::string>& words) {
    return lines_of(run(cluster.directory(), hostile("hostile.py", words))).at(0);
}

/// A cluster with keys, and hostile peers of it in Python.
class KeyedCluster : public RealCluster {
public:
    explicit KeyedCluster(std::vector<std::string> nodes = {"n1"}, ClusterOptions rest = {})
        : RealCluster{with_keys(std::move(nodes), std::move(rest))} {}

    [[nodiscard]] std::string server_key() const {
        return public_key(key_directory() + "/coordinator.key");
    }
    [[nodiscard]] std::string admin_file() const { return contexts() + "/muster/contexts/default"; }
    [[nodiscard]] std::string key_of(const std::string& agent) const {
        return agent_state(agent) + "/agent.key";
    }

    /// The key file of a new agent that is admitted and does not run.
    [[nodiscard]] std::string enrolled(const std::string& name) const {
        const auto done = join(name, join_words(name));
        INFO(done.errors);
        REQUIRE(done.exit == Exit{.code = 0});
        return key_of(name);
    }

    /// What the peer with these keys gets for one frame; empty: random keys.
    [[nodiscard]] Json curve(const std::string& endpoint, const std::string& keys,
                             const std::string& frame) const {
        std::vector<std::string> words{endpoint, "curve", "--server", server_key()};
        if (!keys.empty()) {
            words.insert(words.end(), {"--keys", keys});
        }
        words.push_back(frame);
        return answer_to_stranger(*this, words);
    }

    /// The values of a metric of the coordinator that have all these words in their labels.
    [[nodiscard]] std::uint64_t metric(const std::string& name,
                                       const std::string& label = "") const {
        std::uint64_t sum = 0;
        const Json stats = ask({{"verb", "stats"}});
        for (const auto& sample : stats.at("samples")) {
            if (sample.at("name") == name &&
                (label.empty() || contains(sample.at("labels").dump(), '"' + label + '"'))) {
                sum += sample.at("value").get<std::uint64_t>();
            }
        }
        return sum;
    }
    /// Messages that were refused and connections that were ended, of any kind.
    [[nodiscard]] std::uint64_t refusals() const { return metric("muster_message_errors_total"); }

private:
    static ClusterOptions with_keys(std::vector<std::string> nodes, ClusterOptions options) {
        options.nodes = std::move(nodes);
        options.keys = true;
        return options;
    }
};

/// The first message of an agent that says that it is this one.
[[nodiscard]] inline std::string hello_of(const std::string& name) {
    return Json{{"type", "hello"},
                {"name", name},
                {"cluster", std::string(32, '0')},
                {"boot", std::string(32, '1')},
                {"life", std::string(32, '2')},
                {"incarnation", 1},
                {"epoch", 0},
                {"leader", std::string(32, '0')},
                {"counter", 0},
                {"version", "hostile"}}
        .dump();
}

}  // namespace muster::integration
