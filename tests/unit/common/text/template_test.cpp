#include "common/text/template.hpp"

#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/ids.hpp"
#include "common/base/random.hpp"

using namespace muster;

namespace {

const TemplateValues of_web{
    {"MUSTER_TASK", "web"},     {"MUSTER_INSTANCE", "web.3"},
    {"MUSTER_ORDINAL", "3"},    {"MUSTER_NODE", "n1"},
    {"MUSTER_GENERATION", "7"}, {"MUSTER_SECRETS", "/run/secrets"},
    {"node.name", "n1"},        {"node.pool", "gpu"},
    {"node.label.rack", "r7"},  {"node.label.zone.of-1", "${MUSTER_TASK}"},
};

std::string expanded(std::string_view text) {
    const auto result = expand(text, of_web);
    return result ? *result : "refused: " + result.error().detail;
}

}  // namespace

TEST_CASE("every variable is replaced by its value at any position", "[template]") {
    CHECK(expanded("${MUSTER_TASK} ${MUSTER_INSTANCE} ${MUSTER_ORDINAL} ${MUSTER_NODE}") ==
          "web web.3 3 n1");
    CHECK(expanded("${MUSTER_GENERATION},${MUSTER_SECRETS}/key") == "7,/run/secrets/key");
    CHECK(expanded("--listen=${node.name}.${node.pool}.${node.label.rack}") ==
          "--listen=n1.gpu.r7");
    CHECK(expanded("${MUSTER_ORDINAL}${MUSTER_ORDINAL}") == "33");
    CHECK(expanded("").empty());
}

TEST_CASE("a replacement is not expanded again", "[template]") {
    CHECK(expanded("${node.label.zone.of-1}") == "${MUSTER_TASK}");
}

TEST_CASE("unknown syntax is left to the program and its shell", "[template]") {
    for (const std::string text :
         {"${HOME}", "$HOME", "$", "${", "$$", "}", "${}", "a$b${c}", "${nodes.name}", "${node}",
          "${muster_task}", "$MUSTER_TASK", "$(MUSTER_TASK)", "${ MUSTER_TASK}", "${HOME"}) {
        CHECK(expanded(text) == text);
        CHECK_FALSE(fault_of_template(text));
        CHECK_FALSE(begins_with_variable(text));
    }
}

TEST_CASE("a second dollar writes the braces literally", "[template]") {
    CHECK(expanded("$${MUSTER_TASK}") == "${MUSTER_TASK}");
    CHECK(expanded("$${HOME}") == "${HOME}");
    CHECK(expanded("$${") == "${");
    CHECK(expanded("$$${node.name}") == "$${node.name}");
    CHECK(expanded("$${node.name}${node.name}") == "${node.name}n1");
    CHECK_FALSE(fault_of_template("$${MUSTER_NOTHING}"));
    CHECK_FALSE(begins_with_variable("$${MUSTER_TASK}"));
}

TEST_CASE("an unknown muster variable is refused with the valid ones", "[template]") {
    const std::string there_are =
        "}', which does not exist; the variables are ${MUSTER_TASK} ${MUSTER_INSTANCE} "
        "${MUSTER_ORDINAL} "
        "${MUSTER_NODE} ${MUSTER_GENERATION} ${MUSTER_SECRETS} ${MUSTER_TOKEN} ${node.name} "
        "${node.pool} "
        "${node.label.KEY}, and $${ writes ${";
    for (const std::string name : {"MUSTER_", "MUSTER_HOST", "MUSTER_TASK:-x", "node.", "node.zone",
                                   "node.label", "MUSTER_TASK "}) {
        CHECK(fault_of_template("a ${" + name + "} b") ==
              "names the variable '${" + name + there_are);
    }
    CHECK(fault_of_template("${node.label.}") ==
          "names the variable '${node.label.}', in which KEY is not a name: " +
              std::string{name_rule()});
    CHECK(fault_of_template("x ${MUSTER_TASK") ==
          "has '${MUSTER_TASK' without its '}'; write $${ for these two characters themselves");
    CHECK(expanded("x ${MUSTER_HOST}") ==
          "refused: 'x ${MUSTER_HOST}' names the variable '${MUSTER_HOST" + there_are);
}

TEST_CASE("a label that the node lacks is an error that says so", "[template]") {
    CHECK_FALSE(fault_of_template("${node.label.disk}"));
    CHECK(expanded("${node.label.disk}") ==
          "refused: ${node.label.disk} has no value: this node has no label 'disk'; give it to the "
          "node, or constrain the task to nodes that have it");
    const auto none = expand("${MUSTER_SECRETS}", {});
    REQUIRE_FALSE(none);
    CHECK(none.error().detail == "${MUSTER_SECRETS} has no value here");
}

TEST_CASE("a text begins with a variable only if it is a muster variable", "[template]") {
    CHECK(begins_with_variable("${MUSTER_SECRETS}/x"));
    CHECK(begins_with_variable("${node.label.disk}"));
    CHECK_FALSE(begins_with_variable("/${MUSTER_SECRETS}"));
}

// Goal: no text is read beyond its end, and an escaped text is unchanged in the output.
// Method: random texts of the special characters.
TEST_CASE("a text with all braces escaped is unchanged in the output", "[template]") {
    const std::vector<std::string> pieces{"$", "{", "}", "${", "MUSTER_TASK", "node.", "a"};
    Random random{1};
    for (int i = 0; i < 5'000; ++i) {
        std::string text;
        std::string escaped;
        for (auto left = random.below(8); left > 0; --left) {
            text += pieces[random.below(pieces.size())];
        }
        for (std::size_t at = 0; at < text.size(); ++at) {
            escaped += text.compare(at, 2, "${") == 0 ? "$" : "";
            escaped += text[at];
        }
        CAPTURE(text);
        CHECK(expanded(escaped) == text);
        CHECK_FALSE(fault_of_template(escaped));
        const auto raw_result = expand(text, of_web);
        CHECK(raw_result.has_value() == !fault_of_template(text).has_value());
    }
}
