// Secrets for tasks in the coordinator's core, which has their values encrypted only.

#include <algorithm>
#include <string>

#include "tests/catch.hpp"

#include "common/crypto/secret_box.hpp"
#include "tests/unit/coordinator/core/security/keyed.hpp"

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;

namespace {

std::string encrypted(const std::string& name, const std::string& value) {
    return encrypt_secret(store_key(SecretKey{{1}}), name, value);
}

WantedTask asking(const std::string& task, std::vector<std::string> secrets) {
    WantedTask wanted = CoordinatorHarness::wanted(task, 1);
    wanted.spec.cluster_secrets = std::move(secrets);
    return wanted;
}

struct Story : Keyed {
    explicit Story(const StoreImage& image = CoordinatorHarness::empty_store())
        : Keyed{with_keys(), image} {}

    Result<ReplyBody> set(const std::string& name, const std::string& value) {
        return ask(SecretSetRequest{
            .name = name, .value = encrypted(name, value), .why = {.author = "ann"}});
    }
    Result<ReplyBody> apply(const WantedTask& task, const Caller& by = {.is_local = true}) {
        return ask(by, ApplyRequest{.tasks = {task}});
    }
    std::vector<SecretView> listed() {
        return std::get<SecretsReply>(ask(SecretListRequest{}).value()).secrets;
    }
    FakeAgent& join(const std::string& name) {
        FakeAgent& fake = harness.add(name);
        harness.give(FromAgent{fake.session, CoordinatorHarness::hello_of(fake),
                               admit(name, Role::agent, 42)});
        harness.pass(2s);
        return fake;
    }
    /// The batch of the last start.
    static const Batch& started(const FakeAgent& fake) {
        const auto found = std::find_if(fake.batches.rbegin(), fake.batches.rend(),
                                        [](const Batch& batch) { return !batch.starts.empty(); });
        REQUIRE(found != fake.batches.rend());
        return *found;
    }
};

bool is_refused(const Result<ReplyBody>& answer, Errc code, const std::string& word) {
    return !answer && answer.error().code == code &&
           answer.error().detail.find(word) != std::string::npos;
}

}  // namespace

// Goal: a list tells all but the values. Method: set two secrets, one of them twice.
TEST_CASE("secrets are listed with size, version, time and author", "[secrets]") {
    Story story;
    REQUIRE(story.set("db", "hunter2"));
    REQUIRE(story.set("web", "x"));
    const auto first = story.listed();
    REQUIRE(first.size() == 2);
    CHECK(first[0].name == "db");
    CHECK(first[0].bytes == 7);
    CHECK(first[0].author == "ann");
    CHECK(first[0].since == CoordinatorHarness::civil_start);
    REQUIRE(story.set("db", "hunter2"));
    CHECK(story.listed() == first);  // The same value is no change.
    REQUIRE(story.set("db", "hunter22"));
    CHECK(story.listed()[0].version > first[1].version);
    CHECK(story.listed()[0].bytes == 8);
    CHECK(story.harness.happened("secret.set", "db"));
}

// Goal: no plain value is kept, whatever the shell does.
TEST_CASE("a value that is not encrypted is refused", "[secrets]") {
    Story story;
    CHECK(is_refused(story.ask(SecretSetRequest{.name = "db", .value = "hunter2"}), Errc::invalid,
                     "not encrypted"));
    CHECK(is_refused(story.set("No Name", "x"), Errc::invalid, "valid name"));
    CHECK(story.listed().empty());
}

// Goal: a wanted task always has its secrets. Method: apply it without them; remove one that it
// names, and then one that it does not name any more.
TEST_CASE("a task needs its secrets set, and they stay while it names them", "[secrets]") {
    Story story;
    CHECK(is_refused(story.apply(asking("web", {"db"})), Errc::not_found,
                     "'muster secret set db' sets it"));
    REQUIRE(story.set("db", "x"));
    REQUIRE(story.apply(asking("web", {"db"})));
    CHECK(is_refused(story.ask(SecretRemoveRequest{.name = "db"}), Errc::conflict, "task web"));
    CHECK(is_refused(story.ask(SecretRemoveRequest{.name = "d"}), Errc::not_found, "'d'"));
    REQUIRE(story.apply(asking("web", {})));
    REQUIRE(story.ask(SecretRemoveRequest{.name = "db"}));
    CHECK(story.listed().empty());
    CHECK(story.harness.happened("secret.removed", "db"));
}

// Goal: a value goes where its task starts, and nowhere else; a new value goes with later starts.
// Method: tasks with and without the secret; a new value, and then a restart.
TEST_CASE("a start carries the secrets of its task, as they are in the store", "[secrets]") {
    Story story;
    FakeAgent& n0 = story.join("n0");
    REQUIRE(story.set("db", "old"));
    REQUIRE(story.set("other", "x"));
    REQUIRE(story.apply(CoordinatorHarness::wanted("plain", 1)));
    story.harness.pass(2s);
    CHECK(Story::started(n0).secrets.empty());
    REQUIRE(story.apply(asking("web", {"db"})));
    story.harness.pass(2s);
    const Batch first = Story::started(n0);
    REQUIRE(first.secrets.size() == 1);
    CHECK(first.secrets[0] == SecretValue{"db", story.listed()[0].version, encrypted("db", "old")});

    const std::size_t batches = n0.batches.size();
    REQUIRE(story.set("db", "new"));
    story.harness.pass(10s);
    CHECK(n0.batches.size() == batches);  // What runs keeps the old value.
    REQUIRE(story.ask(TaskRestartRequest{.pattern = "web"}));
    story.harness.pass(10s);
    CHECK(Story::started(n0).secrets[0].value == encrypted("db", "new"));
}

// Goal: who may change some tasks cannot read the secrets of others by a task of his own.
// Method: a key for tasks like web-* names secrets inside and outside of its pattern.
TEST_CASE("a limited key names only secrets of its patterns", "[secrets]") {
    Story story;
    PublicKey key;
    key.bytes.fill(7);
    REQUIRE(story.ask(KeyAddRequest{
        .name = "ann", .role = Role::operator_, .key = to_string(key), .tasks = {"web-*"}}));
    const Caller ann{.key = key};
    REQUIRE(story.set("db", "x"));
    REQUIRE(story.set("web-key", "x"));
    CHECK(is_refused(story.apply(asking("web-1", {"db"}), ann), Errc::denied, "secret db"));
    CHECK(story.apply(asking("web-1", {"web-key"}), ann));
    REQUIRE(story.apply(asking("web-2", {"db"})));  // By an admin.
    CHECK(story.ask(ann, TaskScaleRequest{.pattern = "web-2", .instances = 2}));
    WantedTask changed = asking("web-2", {"db"});
    changed.spec.argv = {"/bin/cat"};
    CHECK(is_refused(story.apply(changed, ann), Errc::denied, "secret db"));
}

// Goal: secrets outlive the leadership. Method: the next leader's image has one.
TEST_CASE("the next leader knows the secrets of the store", "[secrets]") {
    StoreImage store = CoordinatorHarness::empty_store();
    store.secrets = {{.name = "db",
                      .version = Generation{3},
                      .since = CivilMs{17},
                      .author = "ann",
                      .encrypted = encrypted("db", "hunter2")}};
    Story story{store};
    CHECK(story.listed() == std::vector{SecretView{"db", Generation{3}, 7, CivilMs{17}, "ann"}});
    CHECK(story.apply(asking("web", {"db"})));
}
