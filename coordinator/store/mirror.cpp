#include "coordinator/store/mirror.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <sstream>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/ensure.hpp"
#include "common/sqlite/columns.hpp"
#include "coordinator/store/schema.hpp"

namespace muster::coordinator {

namespace {

using Json = nlohmann::json;
using sqlite::Statement;

/// What the key of a table is.
enum class KeyKind : std::uint8_t { name, id, number };

struct StoredTable {
    std::string_view name;
    std::string_view key;
    KeyKind kind = KeyKind::name;
};

constexpr std::array tables{StoredTable{"meta", "one", KeyKind::number},
                            StoredTable{"tasks", "name"},
                            StoredTable{"nodes", "name"},
                            StoredTable{"requests", "id", KeyKind::id},
                            StoredTable{"intents", "name"},
                            StoredTable{"settings", "name"},
                            StoredTable{"freeze", "one", KeyKind::number},
                            StoredTable{"ends", "name"},
                            StoredTable{"keys", "name"},
                            StoredTable{"tokens", "id"},
                            StoredTable{"audit", "number", KeyKind::number},
                            StoredTable{"audit_head", "one", KeyKind::number},
                            StoredTable{"secrets", "name"},
                            StoredTable{"pools", "name"},
                            StoredTable{"pool_nodes", "name"},
                            StoredTable{"seasons", "name"}};

const std::string only_row = row_key(1);

/// The table of each kind of Row.
std::string_view table_of(const Meta* /*row*/) { return "meta"; }
std::string_view table_of(const StoredTask* /*row*/) { return "tasks"; }
std::string_view table_of(const StoredNode* /*row*/) { return "nodes"; }
std::string_view table_of(const StoredRequest* /*row*/) { return "requests"; }
std::string_view table_of(const StoredIntent* /*row*/) { return "intents"; }
std::string_view table_of(const StoredSetting* /*row*/) { return "settings"; }
std::string_view table_of(const StoredFreeze* /*row*/) { return "freeze"; }
std::string_view table_of(const StoredEnds* /*row*/) { return "ends"; }
std::string_view table_of(const StoredKey* /*row*/) { return "keys"; }
std::string_view table_of(const StoredToken* /*row*/) { return "tokens"; }
std::string_view table_of(const StoredAudit* /*row*/) { return "audit"; }
std::string_view table_of(const AuditHead* /*row*/) { return "audit_head"; }
std::string_view table_of(const StoredSecret* /*row*/) { return "secrets"; }
std::string_view table_of(const StoredPool* /*row*/) { return "pools"; }
std::string_view table_of(const StoredPoolNode* /*row*/) { return "pool_nodes"; }
std::string_view table_of(const StoredSeason* /*row*/) { return "seasons"; }

std::string key_text(const Meta& /*row*/) { return only_row; }
std::string key_text(const StoredFreeze& /*row*/) { return only_row; }
std::string key_text(const AuditHead& /*row*/) { return only_row; }
std::string key_text(const StoredAudit& row) { return row_key(row.number); }
std::string key_text(const StoredRequest& row) { return to_string(row.id); }
std::string key_text(const auto& row) { return std::string{key_of(row)}; }

struct Place {
    std::string_view table{};  ///< Empty: none.
    std::string key{};
    bool is_gone = false;
    bool and_before = false;
};

/// Where a write changes something.
struct PlaceOf {
    template <class Row>
    Place operator()(const Row& row) const {
        return {.table = table_of(&row), .key = key_text(row)};
    }
    template <class Row>
    Place operator()(const Shared<Row>& row) const {
        return (*this)(*row);
    }
    template <class Row>
    Place operator()(const Erase<Row>& erase) const {
        const Row* const row = nullptr;
        return {.table = table_of(row),
                .key = std::is_same_v<Row, StoredFreeze> ? only_row : erase.name,
                .is_gone = true};
    }
    Place operator()(const EraseOldRequests& erase) const {
        const auto later = static_cast<std::uint64_t>(erase.horizon) + 1;
        return {.table = "requests",
                .key = to_string(RequestId{later << 16U, 0}),
                .is_gone = true,
                .and_before = true};
    }
    Place operator()(const EraseOldAudit& erase) const {
        return {
            .table = "audit", .key = row_key(erase.up_to + 1), .is_gone = true, .and_before = true};
    }
    Place operator()(const Continues& /*part*/) const { return {}; }
};

std::string hex_of(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

std::optional<std::string> bytes_of_hex(std::string_view text) {
    const auto digit = [](char c) {
        return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    std::string bytes;
    for (std::size_t at = 0; at + 1 < text.size(); at += 2) {
        const int high = digit(text[at]);
        const int low = digit(text[at + 1]);
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        bytes += static_cast<char>(16 * high + low);
    }
    return text.size() % 2 == 0 ? std::optional{bytes} : std::nullopt;
}

void bind_key(Statement& into, const StoredTable& table, const std::string& key) {
    switch (table.kind) {
        case KeyKind::name: into.bind_text(1, key); break;
        case KeyKind::id: into.bind_blob(1, bytes_of_hex(key).value_or("")); break;
        case KeyKind::number: into.bind(1, std::atoll(key.c_str())); break;
    }
}

Json value_of(const Statement& row, int column) {
    switch (row.kind(column)) {
        case Statement::Kind::number: return row.number(column);
        case Statement::Kind::text: return std::string{row.text(column)};
        case Statement::Kind::blob: return Json::array({hex_of(row.blob(column))});
        case Statement::Kind::other: break;
    }
    return nullptr;
}

/// The key is in the first column.
std::string key_of_row(const Statement& row, const StoredTable& table) {
    switch (table.kind) {
        case KeyKind::name: return std::string{row.text(0)};
        case KeyKind::id: return hex_of(row.blob(0));
        case KeyKind::number: return row_key(static_cast<std::uint64_t>(row.number(0)));
    }
    ensure(false, "every kind of key is known");
    return {};
}

/// False: the value is none that value_of() makes.
bool bind_value(Statement& into, int parameter, const Json& value) {
    if (value.is_number_integer()) {
        into.bind(parameter, value.get<std::int64_t>());
        return true;
    }
    if (value.is_string()) {
        into.bind_text(parameter, value.get_ref<const std::string&>());
        return true;
    }
    const bool is_blob = value.is_array() && value.size() == 1 && value.front().is_string();
    const auto bytes =
        is_blob ? bytes_of_hex(value.front().get_ref<const std::string&>()) : std::nullopt;
    if (bytes) {
        into.bind_blob(parameter, *bytes);
    }
    return bytes.has_value();
}

tl::unexpected<Error> unreadable(std::string_view table, std::string_view text) {
    return fail(Errc::store_failed, fmt::format("the store holds a row of {} that cannot be read: "
                                                "{}",
                                                table, in_quotes(text)));
}

}  // namespace

std::string row_key(std::uint64_t number) { return fmt::format("{:020}", number); }

Result<std::unique_ptr<Mirror>> Mirror::open(const std::string& name, const ClusterId& cluster) {
    return sqlite::Database::in_memory(name, "store")
        .and_then([&](std::unique_ptr<sqlite::Database>&& database) {
            return over(std::move(database), cluster);
        });
}

Result<std::unique_ptr<Mirror>> Mirror::over(std::unique_ptr<sqlite::Database> database,
                                             const ClusterId& cluster) {
    if (auto made = rows::make_tables(*database, cluster); !made) {
        return tl::unexpected{made.error()};
    }
    return rows::Writer::prepare(*database).and_then([&](rows::Writer&& writer) {
        std::unique_ptr<Mirror> mirror{new Mirror{std::move(database), std::move(writer)}};
        return columns_in(*mirror->database_).map([&](Columns&& columns) {
            mirror->shared_ = columns;
            mirror->columns_ = std::move(columns);
            return std::move(mirror);
        });
    });
}

Result<void> Mirror::set_schema(std::uint32_t schema) {
    if (schema == schema_) {
        return {};
    }
    if (schema > rows::schema_version) {
        return rows::too_new("the store", schema);
    }
    const auto empty =
        sqlite::Database::in_memory("a store of schema " + std::to_string(schema), "store");
    if (!empty) {
        return tl::unexpected{empty.error()};
    }
    return rows::make_tables(**empty, {}, schema)
        .and_then([&] { return columns_in(**empty); })
        .map([&](Columns&& columns) {
            shared_ = std::move(columns);
            schema_ = schema;
        });
}

Result<StoreImage> Mirror::image() const {
    return rows::read_image(*database_).map([&](StoreImage&& image) {
        image.meta.schema = schema_;
        return std::move(image);
    });
}

Result<Mirror::Columns> Mirror::columns_in(const sqlite::Database& database) {
    Columns columns;
    for (const StoredTable& table : tables) {
        const auto names = database.first_finding(fmt::format(
            "SELECT ifnull(group_concat(name, ' '), '') FROM pragma_table_info('{}')", table.name));
        if (!names) {
            return tl::unexpected{names.error()};
        }
        std::istringstream words{*names};
        if (!names->empty()) {  // Otherwise the table is of a later schema.
            columns[std::string{table.name}] = {std::istream_iterator<std::string>{words}, {}};
        }
    }
    return columns;
}

std::string Mirror::text_of_row(std::string_view table, const Statement& row, int first) const {
    const auto& shared = shared_.find(table)->second;
    Json object = Json::object();
    for (int column = first; column < row.columns(); ++column) {
        std::string name{row.name(column)};
        if (shared.contains(name)) {
            object[std::move(name)] = value_of(row, column);
        }
    }
    return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::optional<RowChange>> Mirror::apply(const Write& write) {
    if (auto done = writer_.write(write); !done) {
        return tl::unexpected{done.error()};
    }
    const Place place = std::visit(PlaceOf{}, write);
    if (place.table.empty() || !shared_.contains(place.table)) {
        return std::optional<RowChange>{};
    }
    RowChange change{.table = std::string{place.table},
                     .key = place.key,
                     .text = {},
                     .and_before = place.and_before};
    if (!place.is_gone) {
        auto text = text_of(place.table, place.key);
        if (!text) {
            return tl::unexpected{text.error()};
        }
        change.text = std::move(*text);
    }
    return std::optional{std::move(change)};
}

Result<std::string> Mirror::text_of(std::string_view table, const std::string& key) {
    const StoredTable& of = *std::ranges::find(tables, table, &StoredTable::name);
    auto known = reads_.find(table);
    if (known == reads_.end()) {
        auto made =
            database_->prepare(fmt::format("SELECT * FROM {} WHERE {} = ?", of.name, of.key));
        if (!made) {
            return tl::unexpected{made.error()};
        }
        known = reads_.emplace(table, *std::move(made)).first;
    }
    Statement& statement = known->second;
    bind_key(statement, of, key);
    std::string text;
    return statement.step()
        .and_then([&](bool is_there) {
            ensure(is_there, "a row that was just written is there");
            text = text_of_row(table, statement);
            return statement.step();  // To its end, so that it may run again.
        })
        .map([&](bool) { return std::move(text); });
}

Result<void> Mirror::each_row(const std::function<Result<void>(const RowChange&)>& use) const {
    for (const StoredTable& table : tables) {
        if (!shared_.contains(table.name)) {
            continue;
        }
        auto statement = database_->prepare(
            fmt::format("SELECT {1}, * FROM {0} ORDER BY {1}", table.name, table.key));
        if (!statement) {
            return tl::unexpected{statement.error()};
        }
        while (true) {
            const auto is_there = statement->step();
            if (!is_there) {
                return tl::unexpected{is_there.error()};
            }
            if (!*is_there) {
                break;
            }
            const auto used = use({.table = std::string{table.name},
                                   .key = key_of_row(*statement, table),
                                   .text = text_of_row(table.name, *statement, 1)});
            if (!used) {
                return used;
            }
        }
    }
    return {};
}

Result<void> Mirror::put(std::string_view table, std::string_view text) {
    const auto known = columns_.find(table);
    if (known == columns_.end()) {
        return {};  // Of a later version.
    }
    const Json row = Json::parse(text, nullptr, false);
    if (!row.is_object()) {
        return unreadable(table, text);
    }
    std::string names;
    std::string marks;
    std::vector<const Json*> values;
    for (const auto& [name, value] : row.items()) {
        if (known->second.contains(name)) {
            names += (names.empty() ? "" : ", ") + name;
            marks += marks.empty() ? "?" : ", ?";
            values.push_back(&value);
        }
    }
    auto statement = database_->prepare(
        fmt::format("INSERT OR REPLACE INTO {} ({}) VALUES ({})", table, names, marks));
    if (!statement) {
        return unreadable(table, text);
    }
    for (std::size_t at = 0; at < values.size(); ++at) {
        if (!bind_value(*statement, static_cast<int>(at) + 1, *values[at])) {
            return unreadable(table, text);
        }
    }
    return statement->run();
}

Result<void> Mirror::erase(const RowChange& gone) {
    const auto table = std::ranges::find(tables, std::string_view{gone.table}, &StoredTable::name);
    if (table == tables.end()) {
        return {};  // Of a later version.
    }
    return database_
        ->prepare(fmt::format("DELETE FROM {} WHERE {} {} ?", table->name, table->key,
                              gone.and_before ? "<" : "="))
        .and_then([&](Statement&& statement) {
            bind_key(statement, *table, gone.key);
            return statement.run();
        });
}

}  // namespace muster::coordinator
