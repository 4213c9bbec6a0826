#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"
#include "common/sqlite/columns.hpp"
#include "coordinator/store/rows.hpp"

namespace muster::coordinator::rows {

using sqlite::bytes_of;
using sqlite::column;

namespace {

/// The statement for each kind of Write, in their order; the last kind, Continues, has none.
/// Columns are named, so that a later schema can add some.
constexpr std::array<std::string_view, std::variant_size_v<Write> - 1> texts{
    "UPDATE meta SET cluster = ?, epoch = ?, leader = ?, counter = ?, request_horizon = ?",
    "INSERT OR REPLACE INTO tasks (name, generation, created, wanted) VALUES (?, ?, ?, ?)",
    "INSERT OR REPLACE INTO nodes (name, incarnation, lost, gone, ahead) VALUES (?, ?, ?, ?, "
    "?)",
    "INSERT OR REPLACE INTO requests (id, asked, reply) VALUES (?, ?, ?)",
    "INSERT OR REPLACE INTO intents (name, intent, admission, pool, reason, author, since, "
    "deadline, force, remove) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)",
    "DELETE FROM tasks WHERE name = ?",
    "DELETE FROM nodes WHERE name = ?",
    "DELETE FROM intents WHERE name = ?",
    "DELETE FROM requests WHERE id < ?",
    "INSERT OR REPLACE INTO freeze (one, reason, author, since) VALUES (1, ?, ?, ?)",
    "DELETE FROM freeze",
    "INSERT OR REPLACE INTO ends (name, generation, ordinals) VALUES (?, ?, ?)",
    "DELETE FROM ends WHERE name = ?",
    "INSERT OR REPLACE INTO keys (name, role, key, since, until, second_key, second_since, "
    "second_until, revoked, pools, tasks, author, rotation, lasting_until) VALUES (?, ?, ?, "
    "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "DELETE FROM keys WHERE name = ?",
    "INSERT OR REPLACE INTO tokens (id, hash, pattern, uses, until, author) VALUES (?, ?, ?, "
    "?, ?, ?)",
    "DELETE FROM tokens WHERE id = ?",
    "INSERT INTO audit (number, at, actor, fingerprint, action, result, detail, request, "
    "epoch, counter, previous, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "INSERT OR REPLACE INTO audit_head (one, number, first, hash, seal) VALUES (1, ?, ?, ?, "
    "?)",
    "DELETE FROM audit WHERE number <= ?",
    "INSERT OR REPLACE INTO secrets (name, version, since, author, encrypted) VALUES (?, ?, "
    "?, ?, ?)",
    "DELETE FROM secrets WHERE name = ?",
    "INSERT OR REPLACE INTO pools (name, paused, since, author, definition) VALUES (?, ?, ?, ?, "
    "?)",
    "DELETE FROM pools WHERE name = ?",
    "INSERT OR REPLACE INTO pool_nodes (name, pool, provider, id, request, state, since, granted, "
    "of_request) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "DELETE FROM pool_nodes WHERE name = ?",
    "INSERT OR REPLACE INTO seasons (name, usual) VALUES (?, ?)",
    "DELETE FROM seasons WHERE name = ?",
};

static_assert(std::is_same_v<std::variant_alternative_t<texts.size(), Write>, Continues>);

struct Blob {
    std::string_view bytes;
};

void bind_one(sqlite::Statement& into, int parameter, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string>) {
        into.bind_text(parameter, value);
    } else if constexpr (std::is_same_v<Value, Blob>) {
        into.bind_blob(parameter, value.bytes);
    } else if constexpr (std::is_same_v<Value, bool>) {
        into.bind(parameter, value ? 1 : 0);
    } else if constexpr (std::is_integral_v<Value>) {
        into.bind(parameter, static_cast<std::int64_t>(value));
    } else {
        into.bind(parameter, column(value));
    }
}

std::string_view bytes_of_key(const PublicKey& key) {
    return {reinterpret_cast<const char*>(key.bytes.data()), key.bytes.size()};
}

/// Binds a write's values to a statement.
struct Bind {
    sqlite::Statement& into;
    std::string& encoded;

    void all(const auto&... values) const {
        int parameter = 0;
        (bind_one(into, ++parameter, values), ...);
    }
    void operator()(const Meta& meta) const {
        all(Blob{bytes_of(meta.cluster)}, meta.epoch, Blob{bytes_of(meta.leader)}, meta.counter,
            meta.request_horizon);
    }
    void operator()(const Shared<StoredTask>& task) const {
        codec::encode(Request{{}, TaskAddRequest{task->wanted}}, encoded);
        all(task->wanted.name, task->generation, task->created, Blob{encoded});
    }
    void operator()(const StoredNode& node) const {
        all(node.name, node.incarnation, node.lost, node.gone, node.ahead);
    }
    void operator()(const StoredRequest& request) const {
        codec::encode(*request.reply, encoded);
        all(Blob{bytes_of(request.id)}, Blob{bytes_of(request.request_digest)}, Blob{encoded});
    }
    void operator()(const Shared<StoredIntent>& intent) const {
        all(intent->name, intent->intent, intent->admission, intent->pool, intent->reason,
            intent->author, intent->since, intent->deadline, intent->force, intent->remove);
    }
    void operator()(const StoredSetting& setting) const { all(setting.name, setting.value); }
    void operator()(const StoredFreeze& freeze) const {
        all(freeze.reason, freeze.author, freeze.since);
    }
    void operator()(const Shared<StoredEnds>& ends) const {
        encoded.clear();
        for (const std::uint64_t word : ends->ordinals.words) {
            for (unsigned byte = 0; byte < 8; ++byte) {
                encoded += static_cast<char>(word >> (8 * byte) & 0xffU);
            }
        }
        all(ends->name, ends->generation, Blob{encoded});
    }
    void operator()(const Shared<StoredKey>& key) const {
        ensure(!key->keys.empty(), "a stored name has a key");
        const AdmittedKey& first = key->keys.front();
        const AdmittedKey second = key->keys.size() > 1 ? key->keys.back() : AdmittedKey{};
        all(key->name, key->role, Blob{bytes_of_key(first.key)}, first.since, first.until,
            Blob{bytes_of_key(second.key)}, second.since, second.until, key->revoked,
            joined(key->pools, " "), joined(key->tasks, " "), key->author, key->rotation,
            key->lasting_until);
    }
    void operator()(const StoredToken& token) const {
        all(token.name, Blob{bytes_of_key(token.hash)}, token.pattern, token.uses, token.until,
            token.author);
    }
    void operator()(const Shared<StoredAudit>& row) const {
        all(row->number, row->at, row->actor, row->fingerprint, row->action, row->result,
            row->detail, Blob{bytes_of(row->request)}, row->epoch, row->counter,
            Blob{bytes_of_key(row->previous)}, Blob{bytes_of_key(row->hash)});
    }
    void operator()(const AuditHead& head) const {
        all(head.number, head.first, Blob{bytes_of_key(head.hash)}, Blob{bytes_of_key(head.seal)});
    }
    void operator()(const Shared<StoredSecret>& secret) const {
        all(secret->name, secret->version, secret->since, secret->author, secret->encrypted);
    }
    void operator()(const Shared<StoredPool>& pool) const {
        codec::encode(Request{{}, PoolCreateRequest{pool->name, all_of(pool->spec), {}}}, encoded);
        all(pool->name, pool->paused, pool->since, pool->author, Blob{encoded});
    }
    void operator()(const Shared<StoredPoolNode>& node) const {
        all(node->name, node->pool, node->provider, node->id, node->request, node->state,
            node->since, node->granted, node->of_request);
    }
    void operator()(const Shared<StoredSeason>& season) const { all(season->name, season->usual); }
    void operator()(const EraseOldAudit& erase) const { all(erase.up_to); }
    template <class Row>
    void operator()(const Erase<Row>& erase) const {
        all(erase.name);
    }
    void operator()(const Erase<StoredFreeze>& /*erase*/) const {}
    void operator()(const EraseOldRequests& erase) const {
        // A UUIDv7 begins with 48 bits of civil milliseconds: later ids begin here.
        const auto later = static_cast<std::uint64_t>(erase.horizon) + 1;
        all(Blob{bytes_of(later << 16U, 0)});
    }
    void operator()(const Continues& /*part*/) const {}
};

}  // namespace

Result<Writer> Writer::prepare(const sqlite::Database& database) {
    Writer writer;
    for (const std::string_view text : texts) {
        auto statement = database.prepare(text);
        if (!statement) {
            return tl::unexpected{statement.error()};
        }
        writer.statements_.push_back(std::move(*statement));
    }
    return writer;
}

Result<void> Writer::write(const Write& write) {
    if (std::holds_alternative<Continues>(write)) {
        return {};  // The store writes nothing before it has the last part.
    }
    sqlite::Statement& statement = statements_[write.index()];
    std::visit(Bind{statement, encoded_}, write);
    return statement.run();
}

}  // namespace muster::coordinator::rows
