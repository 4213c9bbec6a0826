#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

// Method: also use more processes than seeds. Both soaks use the same seeds.
TEST_CASE("the simulator runs every seed, with any number of processes", "[integration][sim]") {
    const Directory directory;
    for (const std::string jobs : {"1", "3", "9"}) {
        const Finished done = run(directory.path(), {program("muster-sim"), "soak", "--first", "5",
                                                     "--seeds", "7", "--jobs", jobs});
        INFO(done.output << done.errors);
        CHECK(done.exit == Exit{.code = 0});
        CHECK(done.output.starts_with("0 of 7 seeds broken; 0.01 simulated days in "));
        CHECK(done.errors.empty());
    }
}

TEST_CASE("the simulator explains invalid arguments", "[integration][sim]") {
    const Directory directory;
    const auto refused = [&](std::vector<std::string> words, const std::string& why) {
        words.insert(words.begin(), program("muster-sim"));
        const Finished done = run(directory.path(), words);
        INFO(done.output << done.errors);
        CHECK(done.exit == Exit{.code = 2});
        CHECK(contains(done.errors, why));
    };
    refused({}, "A subcommand is required");
    refused({"bogus"}, "there is no verb 'bogus'; the verbs are soak, replay,");
    refused({"replay", "-1"}, "'-1' is neither a seed nor a file");
    for (const std::string word : {"help", "--version"}) {
        const Finished done = run(directory.path(), {program("muster-sim"), word});
        CHECK(done.exit == Exit{.code = 0});
        CHECK(contains(done.output, word == "help" ? "soak" : "muster-sim "));
    }
    const Finished of_verb = run(directory.path(), {program("muster-sim"), "help", "replay"});
    CHECK(contains(of_verb.output, "muster-sim replay [OPTIONS] SEED|FILE"));
    refused({"help", "bogus"}, "there is no verb 'bogus'");
    refused({"replay", "/dev/zero"}, "it is not a record of a coordinator");
    refused({"replay"}, "SEED|FILE is required");
    refused({"replay", "17", "--faults", "late,flood"},
            "'flood' is not a fault; use all, none, or");
    for (const std::string faults : {"", ",", "late,", ",late", "late,,power"}) {
        for (const std::string verb : {"replay", "shrink"}) {
            refused({verb, "17", "--faults", faults}, "'' is not a fault; use all, none, or");
        }
        refused({"soak", "--faults", faults}, "'' is not a fault; use all, none, or");
    }
    refused({"replay", "17", "--until", "5s"},
            "--until is for the record of a coordinator, and '17' is a seed");
    refused({"replay", "17", "--explain", "web"}, "--explain is for the record of a coordinator");
    const std::string file = directory.path() + "/file";
    std::ofstream{file} << "none";
    for (const std::string option : {"--nodes", "--seconds", "--faults", "--record"}) {
        refused({"replay", file, option, option == "--faults" ? "none" : "3"},
                option + " is for a random run, and '" + file + "' is a file");
    }
    refused({"replay", file, "--routine"}, "--routine is for a random run");
    for (const std::string option : {"--explain", "--until", "--record"}) {
        refused({"replay", file, option, ""}, option + ": it is empty");
    }
    refused({"replay", "17", "--nodes", "0"}, "not in range");
    refused({"soak", "--first", "18446744073709551615", "--seeds", "5"}, "not in range");
    for (const std::string what : {"abc", "-1", "1e3", ""}) {
        refused({"shrink", what}, "'" + what + "' is not a seed; a seed is a number from 0");
    }
    refused({"shrink", "17"}, "seed 17 breaks no promise, so there is nothing to shrink");
}

// Goal: a failed write is reported in one line, and the simulator then runs no further seed.
TEST_CASE("the simulator reports what it cannot write", "[integration][sim]") {
    const Directory directory;
    const std::string scenario = directory.path() + "/s.toml";
    std::ofstream{scenario} << "[[node]]\ncount = 2\n";
    const std::vector<std::vector<std::string>> all{
        {"soak", "--seeds", "2"},     {"run", scenario},           {"run", scenario, "-o", "json"},
        {"run", scenario, "--trace"}, {"replay", "17", "--trace"}, {"--help"}};
    for (const auto& words : all) {
        std::string line = program("muster-sim");
        for (const std::string& word : words) {
            line += " '" + word + "'";
        }
        const Finished done = run(directory.path(), {"/bin/sh", "-c", line + " > /dev/full"});
        INFO(line);
        CHECK(done.exit == Exit{.code = 2});
        CHECK(done.errors == "muster-sim: the output cannot be written: No space left on device\n");
    }
    const std::string file = directory.path() + "/file";
    std::ofstream{file} << "mine";
    for (const std::string& place : {file, file + "/below", std::string{"/proc/none"}}) {
        const Finished done =
            run(directory.path(), {program("muster-sim"), "replay", "17", "--record", place});
        INFO(done.output << done.errors);
        CHECK(done.exit == Exit{.code = 2});
        CHECK(done.errors.starts_with("muster-sim: --record: "));
        CHECK(contains(done.errors, place));
    }
}

TEST_CASE("the simulator runs a scenario file", "[integration][sim]") {
    const Directory directory;
    const std::string file = directory.path() + "/s.toml";
    const auto write = [&](const std::string& text) { std::ofstream{file} << text; };
    const auto play = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {program("muster-sim"), "run", file});
        return run(directory.path(), words);
    };
    const std::string fleet =
        "[[node]]\ncount = 4\n[[task]]\nname = \"web\"\ninstances = 4\nargv = [\"web\"]\n";
    write(fleet + "[[step]]\ndo = \"scale web 2\"\n");
    const Finished table = play({});
    CHECK(table.exit == Exit{.code = 0});
    CHECK(contains(table.output, "scale web 2"));
    CHECK(contains(table.output, "4 nodes, seed 1: converged, no promise broken; "));
    const Finished json = play({"-o", "json", "--trace", "--seed", "5"});
    CHECK(json.exit == Exit{.code = 0});
    CHECK(json.output.starts_with("{\"scenario\":\"" + file +
                                  "\",\"seed\":5,\"nodes\":4,\"good\":true,"));
    CHECK(contains(json.errors, "--- scale web 2"));

    write("patience = \"9s\"\n" + fleet + "[[step]]\ndo = \"crash-coordinator\"\n");
    const Finished never = play({});
    CHECK(never.exit == Exit{.code = 1});
    CHECK(contains(never.output, "NOT converged at the end"));

    write(fleet + "[[step]]\ndo = \"scal web 2\"\n");
    const Finished refused = play({});
    CHECK(refused.exit == Exit{.code = 2});
    CHECK(refused.output.empty());
    CHECK(refused.errors ==
          "muster-sim: " + file + ":8: 'scal web 2': there is no verb 'scal'; perhaps 'scale'\n");
}

}  // namespace muster::integration
