#include "coordinator/core/ledger/audit/audit.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "common/crypto/hash.hpp"
#include "coordinator/core/ledger/audit/audit_chain.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;
using Catch::Contains;

namespace {

const SecretKey secret_of_cluster{{1, 2, 3}};

/// What a store would hold after these writes.
struct Kept {
    void apply(const std::vector<Write>& writes) {
        for (const Write& write : writes) {
            if (const auto* const row = std::get_if<Shared<StoredAudit>>(&write)) {
                page.rows.push_back(**row);
            } else if (const auto* const head = std::get_if<AuditHead>(&write)) {
                page.head = *head;
            } else if (const auto* const old = std::get_if<EraseOldAudit>(&write)) {
                std::erase_if(page.rows,
                              [&](const StoredAudit& one) { return one.number <= old->up_to; });
            }
        }
    }
    void apply(const std::vector<Persist>& persisted) {
        for (const Persist& persist : persisted) {
            apply(persist.writes);
        }
    }
    [[nodiscard]] std::vector<AuditHead> head() const {
        return page.head ? std::vector{*page.head} : std::vector<AuditHead>{};
    }
    [[nodiscard]] std::string fault(const SecretKey& key = secret_of_cluster) const {
        return fault_of_chain(key, page).value_or("");
    }

    AuditPage page;
};

StoredAudit a_row() {
    return {.number = 0,
            .at = CivilMs{1'700},
            .actor = "ann",
            .fingerprint = "0123-4567",
            .action = "task scale",
            .result = "accepted",
            .detail = "web scale 3 -> 5",
            .request = {1, 2},
            .epoch = Epoch{3},
            .counter = Generation{4}};
}

void extend(Audit& audit, Kept& kept, std::size_t count) {
    for (std::size_t at = 0; at < count; ++at) {
        std::vector<Write> writes;
        audit.add(a_row(), writes);
        kept.apply(writes);
    }
}

Kept chain_of(std::size_t count) {
    Kept kept;
    Audit audit{secret_of_cluster, {}};
    extend(audit, kept, count);
    return kept;
}

CoordinatorOptions with_order_key() {
    CoordinatorOptions options = CoordinatorHarness::losing_quickly();
    options.order_key = secret_of_cluster;
    return options;
}

PublicKey key_of_number(std::uint8_t number) {
    PublicKey key;
    key.bytes.fill(number);
    return key;
}

/// The rows that the harness gave to its store.
Kept audit_in(const CoordinatorHarness& harness) {
    Kept kept;
    kept.apply(harness.persisted);
    return kept;
}

}  // namespace

// ---- the chain ----

// Goal: no field of a row can be edited, and none shifted into its neighbour (A24).
// Method: change each field of a row in the middle; move a letter from one field to the next.
TEST_CASE("each field of a row of the audit is covered by its hash", "[audit]") {
    const Kept whole = chain_of(3);
    REQUIRE(whole.fault().empty());
    const auto edited = [&](auto edit) {
        Kept kept = whole;
        edit(kept.page.rows[1]);
        return kept.fault();
    };
    CHECK(edited([](StoredAudit& row) { row.at = CivilMs{1'701}; }) == "row 2 was edited");
    CHECK(edited([](StoredAudit& row) { row.actor = "bob"; }) == "row 2 was edited");
    CHECK(edited([](StoredAudit& row) { row.fingerprint = "0"; }) == "row 2 was edited");
    CHECK(edited([](StoredAudit& row) { row.action = "task add"; }) == "row 2 was edited");
    CHECK(edited([](StoredAudit& row) { row.result = "denied"; }) == "row 2 was edited");
    CHECK(edited([](StoredAudit& row) { row.detail += " "; }) == "row 2 was edited");
    CHECK(edited([](StoredAudit& row) { row.request.low = 3; }) == "row 2 was edited");
    CHECK(edited([](StoredAudit& row) { row.epoch = Epoch{4}; }) == "row 2 was edited");
    CHECK(edited([](StoredAudit& row) { row.counter = Generation{5}; }) == "row 2 was edited");
    CHECK(edited([](StoredAudit& row) { row.previous = {}; }) == "row 2 was edited");
    CHECK(edited([](StoredAudit& row) { row.hash = {}; }) == "row 2 was edited");
    CHECK(edited([](StoredAudit& row) {
              row.action = "task scal";
              row.result = "eaccepted";
          }) == "row 2 was edited");
    // Whoever knows all but the key cannot make a hash that fits.
    CHECK(edited([](StoredAudit& row) {
              row.detail = "web scale 3 -> 6";
              row.hash = hash_of_row(SecretKey{}, row);
          }) == "row 2 was edited");
}

// Goal: no row can be taken away, exchanged or added (A24).
// Method: do each to a chain of four rows.
TEST_CASE("rows of the audit that are missing, exchanged or added are named", "[audit]") {
    const Kept whole = chain_of(4);
    const auto changed = [&](auto change) {
        Kept kept = whole;
        change(kept.page);
        return kept.fault();
    };
    CHECK(changed([](AuditPage& page) { page.rows.erase(page.rows.begin()); }) ==
          "row 1 is missing");
    CHECK(changed([](AuditPage& page) { page.rows.erase(page.rows.begin() + 1); }) ==
          "row 2 is missing");
    CHECK(changed([](AuditPage& page) {
              page.rows.erase(page.rows.begin() + 1, page.rows.begin() + 3);
          }) == "rows 2 to 3 are missing");
    CHECK_THAT(changed([](AuditPage& page) { page.rows.pop_back(); }),
               Contains("row 4 is missing: the newest rows were cut off"));
    CHECK_THAT(changed([](AuditPage& page) { page.rows.clear(); }),
               Contains("rows 1 to 4 are missing"));
    CHECK_THAT(changed([](AuditPage& page) {
                   page.rows.pop_back();
                   page.head->number = 3;
                   page.head->hash = page.rows.back().hash;
               }),
               Contains("was edited"));
    CHECK_THAT(changed([](AuditPage& page) { page.head.reset(); }), Contains("was deleted"));
    CHECK(changed([](AuditPage& page) {
              page.head->first = 2;
              page.rows.erase(page.rows.begin());
          }) == "row 1 is missing");
    // A row of another chain with the same key.
    Kept other;
    Audit audit{secret_of_cluster, {}};
    StoredAudit first = a_row();
    first.actor = "bob";
    std::vector<Write> writes;
    audit.add(first, writes);
    other.apply(writes);
    extend(audit, other, 1);
    CHECK(changed([&](AuditPage& page) { page.rows[1] = other.page.rows[1]; }) ==
          "row 2 does not follow row 1: one of them was exchanged");
}

TEST_CASE("an empty audit is whole, and one without a key shows accidents", "[audit]") {
    CHECK(Kept{}.fault().empty());
    Kept kept;
    Audit audit{SecretKey{}, {}};
    extend(audit, kept, 3);
    CHECK(kept.fault(SecretKey{}).empty());
    CHECK_FALSE(ChainCheck{SecretKey{}}.is_keyed());
    kept.page.rows[1].detail.clear();
    CHECK(kept.fault(SecretKey{}) == "row 2 was edited");
}

// Goal: the check of a large audit is the check of its pages, whatever is added meanwhile.
// Method: pages of two rows; a row is added after the first page.
TEST_CASE("the audit is checked page by page", "[audit]") {
    Kept kept;
    Audit audit{secret_of_cluster, {}};
    extend(audit, kept, 5);
    ChainCheck check{secret_of_cluster};
    const auto next_page = [&] {
        AuditPage page{.rows = {}, .head = kept.page.head};
        for (const StoredAudit& row : kept.page.rows) {
            if (row.number > check.last() && page.rows.size() < 2) {
                page.rows.push_back(row);
            }
        }
        return page;
    };
    CHECK(check.check(next_page()));
    extend(audit, kept, 1);
    while (check.check(next_page())) {
    }
    CHECK_FALSE(check.fault());
    CHECK(check.first() == 1);
    CHECK(check.last() == 6);
    CHECK(check.rows() == 6);
    kept.page.rows.pop_back();
    ChainCheck again{secret_of_cluster};
    check = again;
    while (check.check(next_page())) {
    }
    CHECK(check.fault() == "row 6 is missing: the newest rows were cut off");
}

// Goal: numbers go on over leaderships, and a head that was edited leaves a trace for ever.
// Method: a new Audit on the head; then on one that names fewer rows than there were.
TEST_CASE("the audit goes on over leaderships", "[audit]") {
    Kept kept = chain_of(2);
    Audit second{secret_of_cluster, kept.head()};
    extend(second, kept, 2);
    CHECK(kept.page.rows.back().number == 4);
    CHECK(kept.fault().empty());
    kept.page.rows.resize(3);
    kept.page.head->number = 3;
    kept.page.head->hash = kept.page.rows.back().hash;
    Audit third{secret_of_cluster, kept.head()};
    extend(third, kept, 2);
    CHECK(kept.page.rows.back().number == 6);
    CHECK(kept.fault() == "row 4 is missing");
    Audit fourth{secret_of_cluster, kept.head()};
    extend(fourth, kept, 1);
    CHECK(kept.page.rows.back().number == 7);
    CHECK(kept.fault() == "row 4 is missing");
}

// Goal: the audit is bounded, and the oldest rows that are kept are still checked.
// Method: as many rows as are kept and some more; then edit and delete the oldest.
TEST_CASE("old rows of the audit are dropped, and the others stay whole", "[audit]") {
    Audit audit{secret_of_cluster, {}};
    Kept newest;
    for (std::uint64_t number = 1; number <= limits::audit_rows + 3; ++number) {
        std::vector<Write> writes;
        audit.add(a_row(), writes);
        newest.apply(writes);
        if (number == limits::audit_rows) {
            CHECK(newest.page.rows.size() == limits::audit_rows);
            CHECK(newest.fault().empty());
        }
    }
    CHECK(newest.page.head->first == 4);
    REQUIRE(newest.page.rows.size() == limits::audit_rows);
    CHECK(newest.fault().empty());
    newest.page.rows.front().detail.clear();
    CHECK(newest.fault() == "row 4 was edited");
    newest.page.rows.erase(newest.page.rows.begin());
    CHECK(newest.fault() == "row 4 is missing");
}

// ---- what is kept ----

// Goal: every accepted change has its row in the write of the change, with before and after.
// Method: changes of each kind by keys and on the local socket; look at the writes.
TEST_CASE("an accepted change and its row are one write", "[audit]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), with_order_key()};
    harness.join("n1");
    const RequestId id = harness.fresh_id();
    const auto before = harness.persisted.size();
    harness.ask(ApplyRequest{.tasks = {CoordinatorHarness::wanted("web", 3)}}, id);
    harness.ask(TaskScaleRequest{.pattern = "web", .instances = 5}, harness.fresh_id());
    harness.ask(NodeOfflineRequest{.pattern = "n1", .why = {.reason = "", .author = "ann@desk"}},
                harness.fresh_id());
    for (std::size_t at = before; at < harness.persisted.size(); ++at) {
        Kept one;
        one.apply({harness.persisted[at].writes});
        const auto& writes = harness.persisted[at].writes;
        const bool has_request = std::ranges::any_of(writes, [](const Write& write) {
            return std::holds_alternative<StoredRequest>(write);
        });
        CHECK(one.page.rows.size() == (has_request ? 1U : 0U));
    }
    const Kept kept = audit_in(harness);
    CHECK(kept.fault().empty());
    REQUIRE(kept.page.rows.size() == 3);
    const StoredAudit& apply = kept.page.rows[0];
    CHECK(apply.actor == "local");
    CHECK(apply.fingerprint.empty());
    CHECK(apply.action == "apply");
    CHECK(apply.result == "accepted");
    CHECK(apply.request == id);
    CHECK(apply.at == CoordinatorHarness::civil_start);
    CHECK(apply.counter == Generation{11});
    CHECK(apply.detail == "web add 0 -> 3");
    CHECK_THAT(kept.page.rows[1].detail, Contains("web scale 3 -> 5"));
    CHECK(kept.page.rows[2].actor == "local: ann@desk");
    CHECK(kept.page.rows[2].detail == "n1 active -> offline");
}

// Goal: reads, dry runs and retries leave no row; a refusal does, with its sentence.
TEST_CASE("a refused change has a row, and a read, a dry run or a retry has none", "[audit]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), with_order_key()};
    static_cast<void>(harness.status());
    harness.ask(ApplyRequest{.tasks = {CoordinatorHarness::wanted("web", 3)}, .dry_run = true},
                harness.fresh_id());
    CHECK(audit_in(harness).page.rows.empty());
    harness.want("web", 1);
    const RequestId id = harness.fresh_id();
    const auto refused = harness.ask(TaskAddRequest{CoordinatorHarness::wanted("web", 2)}, id);
    harness.ask(TaskAddRequest{CoordinatorHarness::wanted("web", 2)}, id);
    const Kept kept = audit_in(harness);
    CHECK(kept.fault().empty());
    REQUIRE(kept.page.rows.size() == 2);
    CHECK(kept.page.rows[1].action == "task add");
    CHECK(kept.page.rows[1].result == "exists");
    CHECK(kept.page.rows[1].detail == refused->result.error().detail);
    CHECK(kept.page.rows[1].request == id);
}

// Goal: who was denied is kept with name and key, but nobody can fill the store by asking.
// Method: an observer who changes, a stranger, a host with a wrong token, a request that the shell
// denied; then many in a second.
TEST_CASE("denied requests are kept, at most some in a second", "[audit]") {
    CoordinatorOptions options = with_order_key();
    options.keys = true;
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), options};
    harness.ask(KeyAddRequest{
        .name = "olga", .role = Role::observer, .key = to_string(key_of_number(2)), .why = {}});
    std::uint64_t ticket = 1'000;
    const auto send = [&](const Caller& by, CoreRequestBody body) {
        harness.give(FromOperator{Ticket{++ticket}, CoreRequest{{}, std::move(body)}, {}, by});
    };
    const Caller olga{.key = key_of_number(2)};
    send(olga, TaskRemoveRequest{"*"});
    send({.key = key_of_number(9)}, StatusRequest{});
    send({.is_enrolling = true, .key = key_of_number(8)},
         EnrolRequest{.name = "n7", .secret = to_string(key_of_number(7))});
    harness.give(Denied{olga, {5, 6}, "audit show", {Errc::denied, "not for olga"}});
    const auto& kept = audit_in(harness).page.rows;
    REQUIRE(kept.size() == 5);
    CHECK(kept[0].action == "key add");
    CHECK_THAT(kept[0].detail, Contains("olga observer valid"));
    CHECK(kept[1].actor == "olga");
    CHECK(kept[1].fingerprint == fingerprint(key_of_number(2)));
    CHECK(kept[1].action == "task remove");
    CHECK(kept[1].result == "denied");
    CHECK(kept[2].actor.empty());
    CHECK(kept[2].fingerprint == fingerprint(key_of_number(9)));
    CHECK(kept[3].actor == "host: n7");
    CHECK(kept[3].action == "enrol");
    CHECK(kept[3].result == "denied");
    CHECK(kept[4].action == "audit show");
    CHECK(kept[4].detail == "not for olga");
    for (int again = 0; again < 20; ++again) {
        send(olga, TaskRemoveRequest{"*"});
    }
    CHECK(audit_in(harness).page.rows.size() == 1 + limits::audited_refusals);
    harness.pass(1s);
    send(olga, TaskRemoveRequest{"*"});
    const Kept all = audit_in(harness);
    CHECK(all.page.rows.size() == 2 + limits::audited_refusals);
    CHECK_THAT(all.page.rows.back().detail, Contains("before it 14 refusals were not kept"));
    CHECK(all.fault().empty());
}

// Goal: the text of a large change is bounded and says what it leaves out.
TEST_CASE("the row of a large change lists its beginning and counts the rest", "[audit]") {
    ChangeReply reply;
    for (int at = 0; at < 1'000; ++at) {
        reply.changes.push_back({.task = "task-" + std::to_string(at),
                                 .action = at < 10 ? "unchanged" : "remove",
                                 .instances_before = 1,
                                 .instances_after = 0,
                                 .fields = {}});
    }
    const std::string text = summary_of(ReplyBody{reply});
    CHECK(text.size() <= limits::sentence_bytes);
    CHECK_THAT(text, Catch::StartsWith("task-10 remove 1 -> 0, task-11") &&
                         Contains(" more; 10 unchanged"));
}
