#include "coordinator/store/rows.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"
#include "common/sqlite/columns.hpp"
#include "coordinator/core/pools/forecast/seasonal.hpp"
#include "coordinator/store/row_checks.hpp"
#include "coordinator/store/schema.hpp"

namespace muster::coordinator::rows {

using sqlite::bytes_of;
using sqlite::column;
using sqlite::from_column;
using sqlite::id_of;
namespace {

tl::unexpected<Error> unreadable(const std::string& row, const std::string& why) {
    return fail(Errc::store_failed, row + " that cannot be read: " + why);
}

/// Reads each row of a query. The text of a fault from `row_of` continues `the store holds a`. With
/// `faults` it goes there, and the row is left out.
template <class Row>
Result<void> read_all(const sqlite::Database& database, std::string_view sql,
                      std::vector<Row>& into, Result<Row> (*row_of)(const sqlite::Statement&),
                      std::vector<std::string>* faults = nullptr) {
    auto statement = database.prepare(sql);
    if (!statement) {
        return tl::unexpected{statement.error()};
    }
    while (true) {
        const auto is_there = statement->step();
        if (!is_there) {
            return tl::unexpected{is_there.error()};
        }
        if (!*is_there) {
            return {};
        }
        auto row = row_of(*statement);
        if (!row && faults != nullptr) {
            faults->push_back(row.error().detail);
            continue;
        }
        if (!row) {
            return fail(Errc::store_failed,
                        "store '" + database.path() + "' holds a " + row.error().detail);
        }
        into.push_back(std::move(*row));
    }
}

Result<Meta> meta_of(const sqlite::Statement& row) {
    return Meta{.cluster = id_of<ClusterId>(row.blob(0)),
                .epoch = from_column<Epoch>(row.number(1)),
                .leader = id_of<LeaderId>(row.blob(2)),
                .counter = from_column<Generation>(row.number(3)),
                .request_horizon = CivilMs{row.number(4)},
                .schema = from_column<std::uint32_t>(row.number(5))};
}

Result<StoredTask> task_of(const sqlite::Statement& row) {
    const std::string what = "task '" + std::string{row.text(0)} + "'";
    auto request = codec::decode_request(row.blob(3));
    if (!request) {
        return unreadable(what, request.error().detail);
    }
    auto* const add = std::get_if<TaskAddRequest>(&request->body);
    if (add == nullptr || add->task.name != row.text(0)) {
        return unreadable(what, "it is another message");
    }
    return StoredTask{std::move(add->task), from_column<Generation>(row.number(1)),
                      from_column<Generation>(row.number(2))};
}

Result<StoredNode> node_of(const sqlite::Statement& row) {
    return StoredNode{std::string{row.text(0)}, from_column<Incarnation>(row.number(1)),
                      row.number(2) != 0, row.number(3) != 0, row.number(4) != 0};
}

Result<StoredRequest> request_of(const sqlite::Statement& row) {
    const auto id = id_of<RequestId>(row.blob(0));
    auto reply = codec::decode_reply(row.blob(2));
    if (!reply) {
        return unreadable("request " + to_string(id), reply.error().detail);
    }
    return StoredRequest{id, std::move(*reply), id_of<Digest>(row.blob(1))};
}

Result<StoredIntent> intent_of(const sqlite::Statement& row) {
    return StoredIntent{.name = std::string{row.text(0)},
                        .intent = static_cast<Intent>(row.number(1)),
                        .admission = static_cast<Admission>(row.number(2)),
                        .pool = std::string{row.text(3)},
                        .reason = std::string{row.text(4)},
                        .author = std::string{row.text(5)},
                        .since = CivilMs{row.number(6)},
                        .deadline = CivilMs{row.number(7)},
                        .force = row.number(8) != 0,
                        .remove = row.number(9) != 0};
}

Result<StoredSetting> setting_of(const sqlite::Statement& row) {
    return StoredSetting{std::string{row.text(0)}, std::string{row.text(1)}};
}

/// The least significant byte of the first word comes first.
Result<StoredEnds> ends_of(const sqlite::Statement& row) {
    StoredEnds ends{std::string{row.text(0)}, from_column<Generation>(row.number(1)), {}};
    const std::string_view bytes = row.blob(2);
    if (bytes.size() > limits::instances_per_task / 8 + 8) {
        return unreadable("list of ends of task '" + ends.name + "'", "it is too long");
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        const unsigned byte = static_cast<unsigned char>(bytes[at]);
        for (Ordinal bit = 0; bit < 8; ++bit) {
            if ((byte >> bit & 1U) != 0) {
                ends.ordinals.add(static_cast<Ordinal>(8 * at) + bit);
            }
        }
    }
    return ends;
}

Result<StoredFreeze> freeze_of(const sqlite::Statement& row) {
    return StoredFreeze{.on = true,
                        .reason = std::string{row.text(0)},
                        .author = std::string{row.text(1)},
                        .since = CivilMs{row.number(2)}};
}

PublicKey key_of_blob(std::string_view bytes) {
    PublicKey key;
    if (bytes.size() == key.bytes.size()) {
        std::ranges::copy(bytes, key.bytes.begin());
    }
    return key;
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(text.size(), end + 1))) {
        end = std::min(text.size(), text.find(' '));
        words.emplace_back(text.substr(0, end));
    }
    return words;
}

Result<StoredKey> stored_key_of(const sqlite::Statement& row) {
    StoredKey stored{.name = std::string{row.text(0)},
                     .role = static_cast<Role>(row.number(1)),
                     .keys = {},
                     .revoked = row.number(8) != 0,
                     .pools = words_of(row.text(9)),
                     .tasks = words_of(row.text(10)),
                     .author = std::string{row.text(11)},
                     .rotation = static_cast<Rotation>(row.number(12)),
                     .lasting_until = CivilMs{row.number(13)}};
    for (const int at : {2, 5}) {
        const AdmittedKey key{key_of_blob(row.blob(at)), CivilMs{row.number(at + 1)},
                              CivilMs{row.number(at + 2)}};
        if (!key.key.is_none()) {
            stored.keys.push_back(key);
        }
    }
    if (stored.keys.empty()) {
        return unreadable("key of '" + stored.name + "'", "it is not 32 bytes");
    }
    return stored;
}

Result<StoredToken> token_of(const sqlite::Statement& row) {
    return StoredToken{.name = std::string{row.text(0)},
                       .hash = key_of_blob(row.blob(1)),
                       .pattern = std::string{row.text(2)},
                       .uses = from_column<std::uint32_t>(row.number(3)),
                       .until = CivilMs{row.number(4)},
                       .author = std::string{row.text(5)}};
}

Result<StoredSecret> secret_of(const sqlite::Statement& row) {
    return StoredSecret{.name = std::string{row.text(0)},
                        .version = from_column<Generation>(row.number(1)),
                        .since = CivilMs{row.number(2)},
                        .author = std::string{row.text(3)},
                        .encrypted = std::string{row.text(4)}};
}

Result<StoredPool> pool_of(const sqlite::Statement& row) {
    const std::string what = "pool '" + std::string{row.text(0)} + "'";
    auto request = codec::decode_request(row.blob(4));
    if (!request) {
        return unreadable(what, request.error().detail);
    }
    const auto* const create = std::get_if<PoolCreateRequest>(&request->body);
    if (create == nullptr || create->name != row.text(0)) {
        return unreadable(what, "it is another message");
    }
    return StoredPool{.name = create->name,
                      .spec = changed(PoolSpec{}, create->changes),
                      .paused = row.number(1) != 0,
                      .since = CivilMs{row.number(2)},
                      .author = std::string{row.text(3)}};
}

Result<StoredPoolNode> pool_node_of(const sqlite::Statement& row) {
    return StoredPoolNode{.name = std::string{row.text(0)},
                          .pool = std::string{row.text(1)},
                          .provider = std::string{row.text(2)},
                          .id = std::string{row.text(3)},
                          .request = std::string{row.text(4)},
                          .state = static_cast<PoolNodeState>(row.number(5)),
                          .since = CivilMs{row.number(6)},
                          .granted = row.number(7) != 0,
                          .of_request = from_column<std::uint32_t>(row.number(8))};
}

Result<StoredSeason> season_of(const sqlite::Statement& row) {
    StoredSeason season{.name = std::string{row.text(0)}, .usual = std::string{row.text(1)}};
    if (auto learned = Seasonal{{}}.take_learned(season.usual); !learned) {
        return unreadable("the season of pool '" + season.name + "'", learned.error().detail);
    }
    return season;
}

Result<StoredAudit> audit_of(const sqlite::Statement& row) {
    return StoredAudit{.number = static_cast<std::uint64_t>(row.number(0)),
                       .at = CivilMs{row.number(1)},
                       .actor = std::string{row.text(2)},
                       .fingerprint = std::string{row.text(3)},
                       .action = std::string{row.text(4)},
                       .result = std::string{row.text(5)},
                       .detail = std::string{row.text(6)},
                       .request = id_of<RequestId>(row.blob(7)),
                       .epoch = from_column<Epoch>(row.number(8)),
                       .counter = from_column<Generation>(row.number(9)),
                       .previous = key_of_blob(row.blob(10)),
                       .hash = key_of_blob(row.blob(11))};
}

Result<AuditHead> head_of(const sqlite::Statement& row) {
    return AuditHead{.number = static_cast<std::uint64_t>(row.number(0)),
                     .first = static_cast<std::uint64_t>(row.number(1)),
                     .hash = key_of_blob(row.blob(2)),
                     .seal = key_of_blob(row.blob(3))};
}

constexpr std::string_view head_of_audit = "SELECT number, first, hash, seal FROM audit_head";

/// The head, but of no lower number than a row has: then its seal does not fit, and the audit goes
/// on after that row.
Result<std::vector<AuditHead>> read_head(const sqlite::Database& database) {
    std::vector<AuditHead> head;
    if (auto read = read_all(database, head_of_audit, head, head_of); !read) {
        return tl::unexpected{read.error()};
    }
    return database.number("SELECT ifnull(max(number), 0) FROM audit").map([&](std::int64_t last) {
        const auto newest = static_cast<std::uint64_t>(last);
        if (head.empty() && newest > 0) {
            head.push_back({.number = newest});
        } else if (!head.empty()) {
            head.front().number = std::max(head.front().number, newest);
        }
        return std::move(head);
    });
}

}  // namespace

Result<Meta> read_meta(const sqlite::Database& database) {
    std::vector<Meta> rows;
    const auto read = read_all(database,
                               "SELECT cluster, epoch, leader, counter, request_horizon, "
                               "(SELECT user_version FROM pragma_user_version) FROM meta",
                               rows, meta_of);
    if (!read) {
        return tl::unexpected{read.error()};
    }
    if (rows.empty() || rows.back().cluster.is_none()) {
        return fail(Errc::store_failed, "store '" + database.path() + "' holds no cluster id");
    }
    return rows.back();
}

Result<StoreImage> read_image(const sqlite::Database& database, std::vector<std::string>* faults) {
    StoreImage image;
    const auto meta = read_meta(database);
    if (!meta) {
        return tl::unexpected{meta.error()};
    }
    image.meta = *meta;
    image.newest_schema = schema_version;
    Result<void> read;
    const auto add = [&](std::string_view sql, auto& into, auto row_of) {
        read = read ? read_all(database, sql, into, row_of, faults) : read;
    };
    add("SELECT name, generation, created, wanted FROM tasks ORDER BY name", image.tasks, task_of);
    add("SELECT name, incarnation, lost, gone, ahead FROM nodes ORDER BY name", image.nodes,
        node_of);
    add("SELECT id, asked, reply FROM requests ORDER BY id", image.requests, request_of);
    add("SELECT name, intent, admission, pool, reason, author, since, deadline, force, remove "
        "FROM intents ORDER BY name",
        image.intents, intent_of);
    add("SELECT name, value FROM settings ORDER BY name", image.settings, setting_of);
    add("SELECT reason, author, since FROM freeze", image.freeze, freeze_of);
    add("SELECT name, generation, ordinals FROM ends ORDER BY name", image.ends, ends_of);
    add("SELECT name, role, key, since, until, second_key, second_since, second_until, revoked, "
        "pools, tasks, author, rotation, lasting_until FROM keys ORDER BY name",
        image.keys, stored_key_of);
    add("SELECT id, hash, pattern, uses, until, author FROM tokens ORDER BY id", image.tokens,
        token_of);
    add("SELECT name, version, since, author, encrypted FROM secrets ORDER BY name", image.secrets,
        secret_of);
    add("SELECT name, paused, since, author, definition FROM pools ORDER BY name", image.pools,
        pool_of);
    add("SELECT name, pool, provider, id, request, state, since, granted, of_request "
        "FROM pool_nodes "
        "ORDER BY name",
        image.pool_nodes, pool_node_of);
    add("SELECT name, usual FROM seasons ORDER BY name", image.seasons, season_of);
    if (!read) {
        return tl::unexpected{read.error()};
    }
    auto head = read_head(database);
    if (!head) {
        return tl::unexpected{head.error()};
    }
    image.audit = std::move(*head);
    const auto found = find_faults(image);
    if (faults != nullptr) {
        faults->insert(faults->end(), found.begin(), found.end());
    } else if (!found.empty()) {
        return damaged(database, found.front());
    }
    return image;
}

Result<AuditPage> read_audit(const sqlite::Database& database, std::optional<std::uint64_t> since,
                             std::uint32_t limit) {
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    const std::string from =
        since ? "WHERE number > " + std::to_string(std::min(*since, most)) + " ORDER BY number"
              : "ORDER BY number DESC";
    AuditPage page;
    std::vector<AuditHead> head;
    auto read = read_all(database,
                         "SELECT number, at, actor, fingerprint, action, result, detail, request, "
                         "epoch, counter, previous, hash FROM audit " +
                             from + " LIMIT " + std::to_string(limit),
                         page.rows, audit_of)
                    .and_then([&] { return read_all(database, head_of_audit, head, head_of); });
    if (!read) {
        return tl::unexpected{read.error()};
    }
    if (!since) {
        std::ranges::reverse(page.rows);
    }
    if (!head.empty()) {
        page.head = head.front();
    }
    return page;
}

}  // namespace muster::coordinator::rows
