#include "common/spec/placement.hpp"

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "common/base/random.hpp"
#include "common/spec/spec.hpp"

using namespace muster;

namespace {

Constraint read(std::string_view text) {
    const auto constraint = parse_constraint(text);
    CAPTURE(text);
    REQUIRE(constraint);
    return *constraint;
}

bool met(std::string_view text, const std::string& value) { return is_met(read(text), &value); }

std::vector<Constraint> read_all(const std::vector<std::string_view>& texts) {
    std::vector<Constraint> constraints;
    constraints.reserve(texts.size());
    for (const auto text : texts) {
        constraints.push_back(read(text));
    }
    return constraints;
}

}  // namespace

TEST_CASE("a constraint is written in one form, and read in that and in looser ones",
          "[placement]") {
    const std::vector<std::pair<std::string_view, std::string_view>> forms{
        {"rack = r7", "rack = r7"},
        {"  rack=r7\t", "rack = r7"},
        {"rack != r7", "rack != r7"},
        {"zone in (b, a,b)", "zone in (a, b)"},
        {"zone in(a)", "zone in (a)"},
        {"ssd exists", "ssd exists"},
        {"exists exists", "exists exists"},
        {"in in (in)", "in in (in)"},
        {"cores>=16", "cores >= 16"},
        {"cores < -3", "cores < -3"},
        {"cores <= 9223372036854775807", "cores <= 9223372036854775807"},
        {"cores > 0", "cores > 0"},
        {"image = registry:5000/web@1+2", "image = registry:5000/web@1+2"},
    };
    for (const auto& [text, form] : forms) {
        CHECK(to_string(read(text)) == form);
        CHECK(read(form) == read(text));
    }
}

TEST_CASE("an invalid constraint is refused with the valid forms", "[placement]") {
    std::string many = "zone in (v0";
    for (std::size_t i = 1; i <= limits::values_per_constraint; ++i) {
        many += ", v" + std::to_string(i);
    }
    for (const std::string& text : {std::string{},
                                    std::string{" "},
                                    std::string{"rack"},
                                    std::string{"= r7"},
                                    std::string{"Rack = r7"},
                                    std::string{"rack = "},
                                    std::string{"rack == r7"},
                                    std::string{"rack = a b"},
                                    std::string{"rack ~ r7"},
                                    std::string{"rack exists now"},
                                    std::string{"rack in ()"},
                                    std::string{"rack in (a,)"},
                                    std::string{"rack in a, b"},
                                    std::string{"rack in (a"},
                                    std::string{"rack = \x1b[2J"},
                                    std::string{"cores > many"},
                                    std::string{"cores > 1.5"},
                                    std::string{"cores > 9223372036854775808"},
                                    std::string{"rack = "} + std::string(64, 'x'),
                                    many + ")"}) {
        const auto constraint = parse_constraint(text);
        CAPTURE(text);
        REQUIRE_FALSE(constraint);
        CHECK(constraint.error().code == Errc::invalid);
        CHECK(constraint.error().detail.find("rack != r7") != std::string::npos);
    }
}

TEST_CASE("a constraint compares the label's value, and a missing label is unequal to all",
          "[placement]") {
    CHECK(met("rack = r7", "r7"));
    CHECK_FALSE(met("rack = r7", "r8"));
    CHECK(met("rack != r7", "r8"));
    CHECK_FALSE(met("rack != r7", "r7"));
    CHECK(met("zone in (a, b)", "b"));
    CHECK_FALSE(met("zone in (a, b)", "c"));
    CHECK(met("ssd exists", "no"));
    CHECK(met("cores < 16", "15"));
    CHECK_FALSE(met("cores < 16", "16"));
    CHECK(met("cores <= 16", "16"));
    CHECK(met("cores > 16", "17"));
    CHECK_FALSE(met("cores > 16", "16"));
    CHECK(met("cores >= 16", "016"));
    CHECK_FALSE(met("cores >= 16", "sixteen"));
    CHECK_FALSE(met("cores >= 16", "16.5"));
    CHECK_FALSE(met("cores >= 16", "99999999999999999999"));

    for (const auto* const text :
         {"rack = r7", "zone in (a, b)", "ssd exists", "cores < 16", "cores >= 16"}) {
        CHECK_FALSE(is_met(read(text), nullptr));
    }
    CHECK(is_met(read("rack != r7"), nullptr));
}

TEST_CASE("constraints that no node can meet together are named", "[placement]") {
    const std::vector<std::vector<std::string_view>> contradictions{
        {"rack = r7", "rack = r8"},           {"rack = r7", "rack != r7"},
        {"zone in (a, b)", "zone in (c, d)"}, {"zone in (a, b)", "zone != a", "zone != b"},
        {"cores > 16", "cores < 16"},         {"cores > 16", "cores < 17"},
        {"cores = many", "cores >= 1"},       {"cores in (4, 8)", "cores > 8"},
        {"cores < -9223372036854775808"},     {"cores > 9223372036854775807"},
    };
    for (const auto& texts : contradictions) {
        const auto sentence = contradiction_of(read_all(texts));
        REQUIRE(sentence);
        for (const auto text : texts) {
            CHECK(sentence->find(text) != std::string::npos);
        }
    }
    const std::vector<std::vector<std::string_view>> sound{
        {},
        {"rack = r7", "zone = r8"},
        {"rack != r7", "rack != r8"},
        {"ssd exists", "ssd != no"},
        {"cores >= 16", "cores <= 16"},
        {"cores >= 16", "cores != 16"},
        {"cores in (4, 8)", "cores > 4"},
        {"zone in (a, b)", "zone in (b, c)"},
    };
    for (const auto& texts : sound) {
        CHECK_FALSE(contradiction_of(read_all(texts)));
    }
}

// Goal: only real contradictions are reported, and in a small world all of them.
// Method: compare random constraints over labels 0 to 4 with trying each value, also an unnamed
// one, and none.
TEST_CASE("a contradiction is reported exactly if no value meets the constraints", "[placement]") {
    Random random{7};
    const std::array<std::string, 6> signs{"=", "!=", "<", "<=", ">", ">="};
    for (int run = 0; run < 20'000; ++run) {
        std::vector<Constraint> constraints;
        for (auto count = 1 + random.below(3); count > 0; --count) {
            const auto kind = random.below(signs.size() + 1);
            constraints.push_back(kind == signs.size() ? read("k exists")
                                                       : read("k " + signs[kind] + ' ' +
                                                              std::to_string(random.below(5))));
        }
        bool can_be_met = false;
        const auto try_value = [&](const std::string* value) {
            bool all = true;
            for (const auto& one : constraints) {
                all = all && is_met(one, value);
            }
            can_be_met = can_be_met || all;
        };
        try_value(nullptr);
        for (const std::string value :
             {"-1", "0", "1", "2", "3", "4", "5", "00", "01", "02", "03", "04", "other"}) {
            try_value(&value);
        }
        CAPTURE(run, to_string(constraints.front()), to_string(constraints.back()));
        REQUIRE(contradiction_of(constraints).has_value() == !can_be_met);
    }
}

TEST_CASE("an invalid placement rule is refused with the name of the field", "[placement]") {
    struct Break {
        std::string_view field;
        std::function<void(PlacementRule&)> change;
    };
    const std::vector<Break> breaks{
        {"pool", [](auto& rule) { rule.pool.clear(); }},
        {"pool", [](auto& rule) { rule.pool = "a\x07"; }},
        {"spread", [](auto& rule) { rule.spread = "Rack"; }},
        {"group", [](auto& rule) { rule.group = "a b"; }},
        {"resources", [](auto& rule) { rule.request.cpu_milli = limits::cpu_milli + 1; }},
        {"resources", [](auto& rule) { rule.request.memory_bytes = limits::memory_bytes + 1; }},
        {"resources", [](auto& rule) { rule.request.slots = limits::instances_per_node + 1; }},
        {"spread",
         [](auto& rule) {
             rule.spread = "rack";
             rule.every_node = true;
         }},
        {"constraints",
         [](auto& rule) { rule.constraints.assign(limits::constraints + 1, read("a exists")); }},
        {"constraints",
         [](auto& rule) {
             rule.constraints = {Constraint{"rack", ConstraintOp::equal, {}, 0}};
         }},
        {"constraints",
         [](auto& rule) {
             rule.constraints = {read("rack = r7"), read("rack = r8")};
         }},
        {"priority", [](auto& rule) { rule.priority = limits::priority + 1; }},
        {"priority", [](auto& rule) { rule.priority = -limits::priority - 1; }},
        {"reschedule_after", [](auto& rule) { rule.reschedule_after = -1ms; }},
        {"reschedule_after", [](auto& rule) { rule.reschedule_after = 1us; }},
        {"reschedule_after",
         [](auto& rule) { rule.reschedule_after = limits::reschedule_after_max + 1ms; }},
    };
    CHECK_FALSE(fault_of(PlacementRule{}));
    for (const auto& one : breaks) {
        PlacementRule rule;
        one.change(rule);
        const auto fault = fault_of(rule);
        CAPTURE(one.field);
        REQUIRE(fault);
        CHECK(fault->field == one.field);
        CHECK_FALSE(fault->what.empty());
    }
}

TEST_CASE("a task is refused with its placement error", "[placement]") {
    WantedTask task;
    task.name = "web";
    task.spec.argv = {"sleep", "60"};
    task.place.constraints = {read("rack = r7"), read("rack != r7")};
    auto sound = validate(task);
    REQUIRE_FALSE(sound);
    CHECK(sound.error().detail ==
          "task 'web': constraints contradict each other: rack = r7 and rack != r7 leave no value "
          "of rack");

    task.place = {};
    task.place.every_node = true;
    CHECK(validate(task));
    task.instances = 0;
    CHECK(validate(task));
    task.instances = 2;
    sound = validate(task);
    REQUIRE_FALSE(sound);
    CHECK(sound.error().detail.find("every_node") != std::string::npos);
}

TEST_CASE("an invalid offer is refused with the name of the field", "[placement]") {
    struct Break {
        std::string_view field;
        std::function<void(Offer&)> change;
    };
    const std::vector<Break> breaks{
        {"pool", [](auto& offer) { offer.pool = "Default"; }},
        {"labels", [](auto& offer) { offer.labels["node"] = "n1"; }},
        {"labels", [](auto& offer) { offer.labels["Rack"] = "r7"; }},
        {"labels", [](auto& offer) { offer.labels["rack"] = ""; }},
        {"labels", [](auto& offer) { offer.labels["rack"] = "a\nb"; }},
        {"labels",
         [](auto& offer) {
             for (std::size_t i = 0; i <= limits::labels_per_node; ++i) {
                 offer.labels['k' + std::to_string(i)] = "v";
             }
         }},
        {"capacity", [](auto& offer) { offer.capacity.cpu_milli = limits::cpu_milli + 1; }},
        {"reserved", [](auto& offer) { offer.reserved.memory_bytes = limits::memory_bytes + 1; }},
        {"reserved",
         [](auto& offer) {
             offer.capacity.slots = 2;
             offer.reserved.slots = 3;
         }},
    };
    Offer sound;
    sound.labels = {{"rack", "r7"}, {"zone", "EU-1"}};
    sound.capacity.slots = 2;
    sound.reserved.slots = 2;
    CHECK_FALSE(fault_of(sound));
    for (const auto& one : breaks) {
        Offer offer;
        one.change(offer);
        const auto fault = fault_of(offer);
        CAPTURE(one.field);
        REQUIRE(fault);
        CHECK(fault->field == one.field);
    }
}
