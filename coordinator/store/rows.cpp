#include "coordinator/store/rows.hpp"

#include <string>
#include <utility>

#include "common/codec/codec.hpp"
#include "common/sqlite/columns.hpp"

namespace muster::coordinator::rows {

using sqlite::bytes_of;
using sqlite::column;
using sqlite::from_column;
using sqlite::id_of;
namespace {

tl::unexpected<Error> unreadable(const sqlite::Database& database, const std::string& row,
                                 const Error& error) {
    return fail(Errc::store_failed, "store '" + database.path() + "' holds a " + row +
                                        " that cannot be read: " + error.detail);
}

// Calls `take(statement)` for each row of a query.
template <class Take>
Result<void> for_each_row(const sqlite::Database& database, std::string_view sql, Take take) {
    auto statement = database.prepare(sql);
    if (!statement) {
        return tl::unexpected{statement.error()};
    }
    while (true) {
        const auto row = statement->step();
        if (!row) {
            return tl::unexpected{row.error()};
        }
        if (!*row) {
            return {};
        }
        if (auto taken = take(*statement); !taken) {
            return taken;
        }
    }
}

Result<void> read_task(const sqlite::Database& database, const sqlite::Statement& row,
                       std::vector<StoredTask>& into) {
    auto request = codec::decode_request(row.blob(3));
    if (!request) {
        return unreadable(database, "task '" + std::string{row.text(0)} + "'", request.error());
    }
    auto* const add = std::get_if<TaskAddRequest>(&request->body);
    if (add == nullptr || add->task.name != row.text(0)) {
        return unreadable(database, "task '" + std::string{row.text(0)} + "'",
                          {Errc::malformed, "it is another message"});
    }
    into.push_back({std::move(add->task), from_column<Generation>(row.number(1)),
                    from_column<Generation>(row.number(2))});
    return {};
}

Result<void> read_request(const sqlite::Database& database, const sqlite::Statement& row,
                          std::vector<StoredRequest>& into) {
    const auto id = id_of<RequestId>(row.blob(0));
    auto reply = codec::decode_reply(row.blob(2));
    if (!reply) {
        return unreadable(database, "request " + to_string(id), reply.error());
    }
    into.push_back({id, std::move(*reply), id_of<Digest>(row.blob(1))});
    return {};
}

StoredIntent intent_of(const sqlite::Statement& row) {
    return {.name = std::string{row.text(0)},
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

// What operators decided, of nodes and of the cluster.
Result<void> read_decisions(const sqlite::Database& database, StoreImage& image) {
    auto read = for_each_row(
        database,
        "SELECT name, intent, admission, pool, reason, author, since, deadline, force, remove "
        "FROM intents ORDER BY name",
        [&](const sqlite::Statement& row) -> Result<void> {
            image.intents.push_back(intent_of(row));
            return {};
        });
    if (!read) {
        return read;
    }
    read = for_each_row(
        database, "SELECT name, value FROM settings ORDER BY name",
        [&](const sqlite::Statement& row) -> Result<void> {
            image.settings.push_back({std::string{row.text(0)}, std::string{row.text(1)}});
            return {};
        });
    if (!read) {
        return read;
    }
    return for_each_row(database, "SELECT reason, author, since FROM freeze",
                        [&](const sqlite::Statement& row) -> Result<void> {
                            image.freeze.push_back({.on = true,
                                                    .reason = std::string{row.text(0)},
                                                    .author = std::string{row.text(1)},
                                                    .since = CivilMs{row.number(2)}});
                            return {};
                        });
}

}  // namespace

Result<Meta> read_meta(const sqlite::Database& database) {
    Meta meta;
    const auto read =
        for_each_row(database, "SELECT cluster, epoch, leader, counter, request_horizon FROM meta",
                     [&](const sqlite::Statement& row) -> Result<void> {
                         meta = {id_of<ClusterId>(row.blob(0)), from_column<Epoch>(row.number(1)),
                                 id_of<LeaderId>(row.blob(2)),
                                 from_column<Generation>(row.number(3)), CivilMs{row.number(4)}};
                         return {};
                     });
    if (!read) {
        return tl::unexpected{read.error()};
    }
    if (meta.cluster.is_none()) {
        return fail(Errc::store_failed, "store '" + database.path() + "' holds no cluster id");
    }
    return meta;
}

Result<StoreImage> read_image(const sqlite::Database& database) {
    StoreImage image;
    const auto meta = read_meta(database);
    if (!meta) {
        return tl::unexpected{meta.error()};
    }
    image.meta = *meta;
    Result<void> read = for_each_row(
        database, "SELECT name, generation, created, wanted FROM tasks ORDER BY name",
        [&](const sqlite::Statement& row) { return read_task(database, row, image.tasks); });
    if (read) {
        read = for_each_row(
            database, "SELECT name, incarnation, lost, gone, ahead FROM nodes ORDER BY name",
            [&](const sqlite::Statement& row) -> Result<void> {
                image.nodes.push_back({std::string{row.text(0)},
                                       from_column<Incarnation>(row.number(1)), row.number(2) != 0,
                                       row.number(3) != 0, row.number(4) != 0});
                return {};
            });
    }
    if (read) {
        read = for_each_row(database, "SELECT id, asked, reply FROM requests ORDER BY id",
                            [&](const sqlite::Statement& row) {
                                return read_request(database, row, image.requests);
                            });
    }
    if (read) {
        read = read_decisions(database, image);
    }
    if (!read) {
        return tl::unexpected{read.error()};
    }
    return image;
}

struct Writer::Statements {
    sqlite::Statement put_meta;
    sqlite::Statement put_task;
    sqlite::Statement put_node;
    sqlite::Statement put_request;
    sqlite::Statement put_intent;
    sqlite::Statement put_setting;
    sqlite::Statement put_freeze;
    sqlite::Statement erase_task;
    sqlite::Statement erase_node;
    sqlite::Statement erase_intent;
    sqlite::Statement erase_freeze;
    sqlite::Statement erase_old_requests;
    std::string encoded{};

    Result<void> apply(const Meta& meta) {
        return put_meta.bind_blob(1, bytes_of(meta.cluster))
            .bind(2, column(meta.epoch))
            .bind_blob(3, bytes_of(meta.leader))
            .bind(4, column(meta.counter))
            .bind(5, static_cast<std::int64_t>(meta.request_horizon))
            .run();
    }
    Result<void> apply(const Shared<StoredTask>& shared) {
        const StoredTask& task = *shared;
        codec::encode(Request{{}, TaskAddRequest{task.wanted}}, encoded);
        return put_task.bind_text(1, task.wanted.name)
            .bind(2, column(task.generation))
            .bind(3, column(task.created))
            .bind_blob(4, encoded)
            .run();
    }
    Result<void> apply(const StoredNode& node) {
        return put_node.bind_text(1, node.name)
            .bind(2, column(node.incarnation))
            .bind(3, node.lost ? 1 : 0)
            .bind(4, node.gone ? 1 : 0)
            .bind(5, node.ahead ? 1 : 0)
            .run();
    }
    Result<void> apply(const StoredRequest& request) {
        codec::encode(*request.reply, encoded);
        return put_request.bind_blob(1, bytes_of(request.id))
            .bind_blob(2, bytes_of(request.asked))
            .bind_blob(3, encoded)
            .run();
    }
    Result<void> apply(const Shared<StoredIntent>& shared) {
        const StoredIntent& intent = *shared;
        return put_intent.bind_text(1, intent.name)
            .bind(2, raw(intent.intent))
            .bind(3, raw(intent.admission))
            .bind_text(4, intent.pool)
            .bind_text(5, intent.reason)
            .bind_text(6, intent.author)
            .bind(7, raw(intent.since))
            .bind(8, raw(intent.deadline))
            .bind(9, intent.force ? 1 : 0)
            .bind(10, intent.remove ? 1 : 0)
            .run();
    }
    Result<void> apply(const StoredSetting& setting) {
        return put_setting.bind_text(1, setting.name).bind_text(2, setting.value).run();
    }
    Result<void> apply(const StoredFreeze& freeze) {
        return put_freeze.bind_text(1, freeze.reason)
            .bind_text(2, freeze.author)
            .bind(3, raw(freeze.since))
            .run();
    }
    Result<void> apply(const Erase<StoredTask>& erase) {
        return erase_task.bind_text(1, erase.name).run();
    }
    Result<void> apply(const Erase<StoredNode>& erase) {
        return erase_node.bind_text(1, erase.name).run();
    }
    Result<void> apply(const Erase<StoredIntent>& erase) {
        return erase_intent.bind_text(1, erase.name).run();
    }
    Result<void> apply(const Erase<StoredFreeze>& /*erase*/) { return erase_freeze.run(); }
    Result<void> apply(const EraseOldRequests& erase) {
        // A UUIDv7 begins with 48 bits of civil milliseconds: these are all ids of a later one.
        const auto later = static_cast<std::uint64_t>(erase.horizon) + 1;
        return erase_old_requests.bind_blob(1, bytes_of(later << 16U, 0)).run();
    }
    // The store writes nothing before it has the last part.
    static Result<void> apply(const GoesOn& /*part*/) { return {}; }
};

Result<std::unique_ptr<Writer>> Writer::prepare(const sqlite::Database& database) {
    auto put_meta = database.prepare(
        "UPDATE meta SET cluster = ?, epoch = ?, leader = ?, counter = ?, request_horizon = ?");
    auto put_task = database.prepare("INSERT OR REPLACE INTO tasks VALUES (?, ?, ?, ?)");
    auto put_node = database.prepare("INSERT OR REPLACE INTO nodes VALUES (?, ?, ?, ?, ?)");
    auto put_request = database.prepare("INSERT OR REPLACE INTO requests VALUES (?, ?, ?)");
    auto put_intent =
        database.prepare("INSERT OR REPLACE INTO intents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    auto put_setting = database.prepare("INSERT OR REPLACE INTO settings VALUES (?, ?)");
    auto put_freeze = database.prepare("INSERT OR REPLACE INTO freeze VALUES (1, ?, ?, ?)");
    auto erase_task = database.prepare("DELETE FROM tasks WHERE name = ?");
    auto erase_node = database.prepare("DELETE FROM nodes WHERE name = ?");
    auto erase_intent = database.prepare("DELETE FROM intents WHERE name = ?");
    auto erase_freeze = database.prepare("DELETE FROM freeze");
    auto erase_old = database.prepare("DELETE FROM requests WHERE id < ?");
    for (const auto* const prepared :
         {&put_meta, &put_task, &put_node, &put_request, &put_intent, &put_setting, &put_freeze,
          &erase_task, &erase_node, &erase_intent, &erase_freeze, &erase_old}) {
        if (!*prepared) {
            return tl::unexpected{prepared->error()};
        }
    }
    return std::unique_ptr<Writer>{new Writer{std::make_unique<Statements>(
        Statements{std::move(*put_meta), std::move(*put_task), std::move(*put_node),
                   std::move(*put_request), std::move(*put_intent), std::move(*put_setting),
                   std::move(*put_freeze), std::move(*erase_task), std::move(*erase_node),
                   std::move(*erase_intent), std::move(*erase_freeze), std::move(*erase_old)})}};
}

Writer::Writer(std::unique_ptr<Statements> statements) : statements_{std::move(statements)} {}
Writer::~Writer() = default;

Result<void> Writer::write(const Write& write) {
    return std::visit([this](const auto& row) { return statements_->apply(row); }, write);
}

}  // namespace muster::coordinator::rows
