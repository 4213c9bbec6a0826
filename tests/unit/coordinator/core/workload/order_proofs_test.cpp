// The proofs of orders by themselves: what a tag covers, and from when on proofs are required.

#include "coordinator/core/workload/order_proofs.hpp"

#include <set>
#include <string>

#include "tests/catch.hpp"

using namespace muster;
using namespace muster::coordinator;

namespace {

const SecretKey first_key{{1, 2, 3}};
const SecretKey other_key{{3, 2, 1}};
const InstanceId proven_id{"web", 0};

StoreImage store_of(ClusterId cluster = {1, 1}, std::optional<ProofRule> rule = {}) {
    StoreImage image;
    image.meta.cluster = cluster;
    if (rule) {
        image.settings.push_back({std::string{ProofRule::setting}, proof_rule_text(rule)});
    }
    return image;
}

InstanceReport report_with(const Proof& proof, Generation generation = Generation{5}) {
    InstanceReport report;
    report.id = proven_id;
    report.generation = generation;
    report.proof = proof;
    return report;
}

}  // namespace

TEST_CASE("without a key there are no proofs", "[proof]") {
    OrderProofs proofs{{}, store_of()};
    CHECK_FALSE(proofs.is_on());
    CHECK(proofs.make(proven_id, Generation{5}, "n1", Incarnation{1}).is_none());
}

// Goal: a proof cannot be used for anything else. Method: change one thing at a time.
TEST_CASE("a tag covers cluster, instance, generation, node and life", "[proof]") {
    OrderProofs proofs{first_key, store_of()};
    const Proof proof = proofs.make(proven_id, Generation{5}, "n1", Incarnation{1});
    CHECK(proof.incarnation == Incarnation{1});
    CHECK(proofs.is_right(report_with(proof), "n1"));
    CHECK(proof == proofs.make(proven_id, Generation{5}, "n1", Incarnation{1}));

    OrderProofs elsewhere{first_key, store_of({1, 2})};
    OrderProofs with_other_key{other_key, store_of()};
    const std::set<Digest> tags{
        proof.tag,
        proofs.make({"web", 1}, Generation{5}, "n1", Incarnation{1}).tag,
        proofs.make({"db", 0}, Generation{5}, "n1", Incarnation{1}).tag,
        proofs.make(proven_id, Generation{6}, "n1", Incarnation{1}).tag,
        proofs.make(proven_id, Generation{5}, "n2", Incarnation{1}).tag,
        proofs.make(proven_id, Generation{5}, "n1", Incarnation{2}).tag,
        elsewhere.make(proven_id, Generation{5}, "n1", Incarnation{1}).tag,
        with_other_key.make(proven_id, Generation{5}, "n1", Incarnation{1}).tag};
    CHECK(tags.size() == 8);
    CHECK_FALSE(proofs.is_right(report_with(proof), "n2"));
    CHECK_FALSE(proofs.is_right(report_with(proof, Generation{6}), "n1"));
    CHECK_FALSE(proofs.is_right(report_with({Incarnation{2}, proof.tag}), "n1"));
    CHECK_FALSE(with_other_key.is_right(report_with(proof), "n1"));
    // Names may contain dots and digits, so the parts of the text must not run into each other.
    CHECK(proofs.make({"a", 12}, Generation{3}, "n", Incarnation{1}) !=
          proofs.make({"a", 1}, Generation{23}, "n", Incarnation{1}));
}

TEST_CASE("the cluster of an accepted store is in its proofs", "[proof][S13]") {
    OrderProofs proofs{first_key, store_of()};
    const Proof before = proofs.make(proven_id, Generation{5}, "n1", Incarnation{1});
    proofs.on_cluster({7, 7});
    OrderProofs accepted{first_key, store_of({7, 7})};
    CHECK(proofs.make(proven_id, Generation{5}, "n1", Incarnation{1}) ==
          accepted.make(proven_id, Generation{5}, "n1", Incarnation{1}));
    CHECK_FALSE(proofs.is_right(report_with(before), "n1"));
}

TEST_CASE("a verdict tells apart what lacks a proof, and what may lack it", "[proof]") {
    OrderProofs proofs{first_key, store_of()};
    const ProofJudge judge{proofs, "n1", Incarnation{2}};
    const auto proof = [&](std::uint64_t life) {
        return proofs.make(proven_id, Generation{5}, "n1", Incarnation{life});
    };
    const Proof forged{Incarnation{2}, Digest{1, 1}};
    CHECK(judge.judge(report_with(proof(2))) == ProofVerdict::right);
    CHECK(judge.judge(report_with(proof(1))) == ProofVerdict::earlier_life);
    CHECK(judge.judge(report_with(forged)) == ProofVerdict::excused);  // There is no rule yet.

    proofs.on_durable(proofs.rule_after(Generation{4}));
    CHECK(judge.judge(report_with(forged)) == ProofVerdict::wrong);
    CHECK(judge.judge(report_with({})) == ProofVerdict::wrong);
    CHECK(judge.judge(report_with(forged, Generation{4})) == ProofVerdict::excused);
    const ProofJudge of_ahead{proofs, "n1", Incarnation{2}, true};
    CHECK(of_ahead.judge(report_with(forged)) == ProofVerdict::excused);
    CHECK(proofs.take_checks() == "++----");  // None for a report without a proof.
    CHECK(proofs.take_checks().empty());
}

TEST_CASE("a rule is read as it was written, and holds for its key only", "[proof]") {
    const StoredSetting row = OrderProofs{first_key, store_of()}.rule_after(Generation{12});
    const auto rule = proof_rule_from(row.value);
    REQUIRE(rule);
    CHECK(rule->after == Generation{12});
    CHECK(proof_rule_text(rule) == row.value);
    CHECK(proof_rule_text({}) == "none");
    for (const auto* text : {"none", "", "12", "x 1", "12 34"}) {
        CHECK_FALSE(proof_rule_from(text));
    }
    CHECK(OrderProofs{first_key, store_of({1, 1}, rule)}.is_required(Generation{13}));
    CHECK_FALSE(OrderProofs{first_key, store_of({1, 1}, rule)}.is_required(Generation{12}));
    const OrderProofs with_other_key{other_key, store_of({1, 1}, rule)};
    CHECK_FALSE(with_other_key.is_required(Generation{13}));
    CHECK(with_other_key.awaits_agents());
    const OrderProofs without_key{{}, store_of({1, 1}, rule)};
    CHECK(without_key.must_end_rule());
    CHECK(without_key.rule_after(Generation{20}).value == "none");
}

TEST_CASE("only no proof has the mark of no proof", "[proof]") {
    CHECK(proof_mark({}) == 0);
    CHECK(proof_mark({Incarnation{}, Digest{1, 1}}) != 0);  // Its halves cancel each other out.
    CHECK(proof_mark({Incarnation{1}, Digest{1, 2}}) != proof_mark({Incarnation{1}, Digest{5, 2}}));
}

TEST_CASE("a replay has the recorded results instead of the key", "[proof][recorder]") {
    OrderProofs proofs{first_key, store_of()};
    proofs.resume({});  // As it was: nothing to resume.
    CHECK(proofs.is_right(report_with(proofs.make(proven_id, Generation{5}, "n1", {})), "n1"));
}
