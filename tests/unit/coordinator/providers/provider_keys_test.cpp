#include "coordinator/provider_keys.hpp"

#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "coordinator/options.hpp"
#include "coordinator/providers/local_process.hpp"

namespace muster::coordinator {
namespace {

using Texts = std::vector<std::string>;

std::string fault(const std::string& text) {
    const auto options = options_from_toml(text, "c.toml");
    REQUIRE_FALSE(options);
    return options.error().detail;
}

}  // namespace

TEST_CASE("providers and predictors are read by their names", "[providers][options]") {
    const auto options = options_from_toml(R"(
        [providers.laptop]
        kind = "local-process"
        directory = "/var/lib/pools"
        [providers.cloud]
        kind = "command"
        command = ["/usr/local/bin/cloud-nodes", "--zone", "a"]
        deadline = "90s"
        [predictors.ml]
        command = ["/usr/local/bin/predict"]
        [predictors.cloud]
        command = ["/p"]
        deadline = "1h"
    )",
                                           "c.toml");
    REQUIRE(options);
    CHECK(options->core.providers == Texts{"cloud", "laptop"});
    CHECK(options->core.predictors == Texts{"cloud", "ml"});
    const auto& providers = options->outside.providers;
    REQUIRE(providers.size() == 2);
    CHECK(providers[0].name == "cloud");
    CHECK(providers[0].kind == ProviderKind::command);
    CHECK(providers[0].command == Texts{"/usr/local/bin/cloud-nodes", "--zone", "a"});
    CHECK(providers[0].deadline == 90s);
    CHECK(providers[1].kind == ProviderKind::local_process);
    CHECK(providers[1].directory == "/var/lib/pools");
    CHECK(providers[1].deadline == 60s);
    const auto& predictors = options->outside.predictors;
    REQUIRE(predictors.size() == 2);
    CHECK(predictors[0].deadline == 1h);
    CHECK(predictors[1].name == "ml");
    CHECK(predictors[1].command == Texts{"/usr/local/bin/predict"});

    const auto none = options_from_toml("", "c.toml");
    REQUIRE(none);
    CHECK(none->core.providers.empty());
    CHECK(none->outside.predictors.empty());
}

// Goal: the sentence alone is enough to find the error.
// Method: one error in each file.
TEST_CASE("a mistake in a provider is reported with its line and what is right",
          "[providers][options]") {
    struct Case {
        std::string text;
        std::string why;
    };
    const Case cases[] = {
        {"providers = 3\n", "c.toml:1: providers is a table: write [providers]"},
        {"[providers]\nx = 3\n", "c.toml:2: x is a table: write [providers.x]"},
        {"[providers.x]\n", "c.toml:1: [providers.x] has no command; write command = ["},
        {"[predictors.x]\n", "c.toml:1: [predictors.x] has no command"},
        {"[providers.X]\ncommand = [\"/p\"]\n", "c.toml:1: 'X' is no name of a provider: a name"},
        {"[providers.none]\ncommand = [\"/p\"]\n", "'none' is no name of a provider"},
        {"[predictors.none]\ncommand = [\"/p\"]\n", "'none' is no name of a predictor"},
        {"[predictors.trend]\ncommand = [\"/p\"]\n", "'trend' is no name of a predictor: it is"},
        {"[providers.seasonal]\ncommand = [\"/p\"]\n", "a predictor that is built in"},
        {"[providers.x]\ncommand = \"/p\"\n", "c.toml:2: command is not an array of texts"},
        {"[providers.x]\ncommand = []\n", "c.toml:2: command begins with the absolute path"},
        {"[providers.x]\ncommand = [\"p\"]\n", "c.toml:2: command begins with the absolute path"},
        {"[providers.x]\ncommand = [\"/p\", 3]\n", "c.toml:2: command[1] is not a text"},
        {"[providers.x]\ncommand = [\"/p\", \"a\\u0000b\"]\n", "zero byte"},
        {"[providers.x]\ncommand = [\"/p\", \"" + std::string(40'000, 'x') + "\"]\n", "too long"},
        {"[providers.x]\ncommand = [\"/p\"]\ndeadline = 3\n",
         "c.toml:3: deadline needs a duration"},
        {"[providers.x]\ncommand = [\"/p\"]\ndeadline = \"10ms\"\n", "must be from 1s to 1h"},
        {"[providers.x]\ncommand = [\"/p\"]\ndeadline = \"2h\"\n", "must be from 1s to 1h"},
        {"[providers.x]\ncomand = [\"/p\"]\n",
         "unknown key 'comand' in [providers.x]; did you mean 'command'? the keys are command, "
         "deadline, kind, directory"},
        {"[predictors.x]\ncommand = [\"/p\"]\nkind = \"command\"\n",
         "unknown key 'kind' in [predictors.x]; the keys are command, deadline"},
        {"[providers.x]\nkind = \"cloud\"\n", "it is one of command, local-process"},
        {"[providers.x]\nkind = \"local-process\"\ncommand = [\"/p\"]\n",
         "c.toml:3: command is not for kind = \"local-process\""},
        {"[providers.x]\nkind = \"local-process\"\ndirectory = \"pools\"\n",
         "c.toml:3: directory is 'pools'; write an absolute path"},
        {"[providers.x]\ncommand = [\"/p\"]\ndirectory = \"/d\"\n",
         "c.toml:3: directory is for kind = \"local-process\" alone"},
        {"[providers.x]\nkind = \"local-process\"\n[providers.y]\nkind = \"local-process\"\n",
         "c.toml:3: [providers.y] has the directory of another provider"},
    };
    for (const auto& [text, why] : cases) {
        CAPTURE(text.substr(0, 200));
        CHECK_THAT(fault(text), Catch::Contains(why));
    }
    CHECK_THAT(fault("[providers.x]\nkind = \"cloud\"\n"), !Catch::Contains("no command"));
    std::string many;
    for (int number = 0; number < 8; ++number) {
        const auto name = ".p" + std::to_string(number) + "]\ncommand = [\"/p\"]\n";
        many += "[providers" + name + "[predictors" + name;
    }
    CHECK(options_from_toml(many, "c.toml"));
    many += "[predictors.z]\ncommand = [\"/p\"]\n";
    CHECK_THAT(fault(many), Catch::Contains("c.toml:33: there are more than 16 providers and"));
}

// The program is beside this test, as it is beside the coordinator.
TEST_CASE("a provider of local processes has its own program, and knows the coordinator",
          "[providers][options]") {
    OutsideOptions options;
    options.providers.push_back(
        {.name = "laptop", .kind = ProviderKind::local_process, .arguments = {"--slots", "10"}});
    const LocalPlaces places{"/state", "tcp://0.0.0.0:7700", "ipc:///run/operators.sock"};
    REQUIRE(find_local_programs(options, places));
    auto command = options.providers[0].command;
    REQUIRE_FALSE(command.empty());
    CHECK_THAT(command.front(), Catch::EndsWith("/muster-pool-local"));
    command.erase(command.begin());
    CHECK(command == std::vector<std::string>{"--directory", "/state/pools", "--agents",
                                              "tcp://127.0.0.1:7700", "--operators",
                                              "ipc:///run/operators.sock", "--slots", "10"});
    options.providers[0] = {.name = "cloud", .command = {"/p"}};
    REQUIRE(find_local_programs(options, places));
    CHECK(options.providers[0].command == std::vector<std::string>{"/p"});
}

}  // namespace muster::coordinator
