#include "coordinator/store/etcd/etcd_parts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/number.hpp"
#include "coordinator/store/schema.hpp"

namespace muster::coordinator::etcd {

namespace {

using Json = nlohmann::json;

/// Below the bounds of Transaction, for the conditions and the last commit.
constexpr std::size_t operations_at_once = Transaction::most_operations - 8;
constexpr std::size_t bytes_at_once = 1'000'000;
/// So few that a part in JSON is not longer than a value may be.
constexpr std::size_t bytes_of_part = 400'000;

std::size_t bytes_of(const Operation& operation) {
    if (const auto* const put = std::get_if<Put>(&operation)) {
        return put->key.size() + put->value.size();
    }
    const auto& erased = std::get<Delete>(operation);
    return erased.key.size() + erased.end.size();
}

std::vector<std::vector<Operation>> group(const std::vector<Operation>& all, std::size_t most,
                                          std::size_t bytes) {
    std::vector<std::vector<Operation>> groups;
    std::size_t size = 0;
    for (const Operation& operation : all) {
        if (groups.empty() || groups.back().size() == most || size + bytes_of(operation) > bytes) {
            groups.emplace_back();
            size = 0;
        }
        size += bytes_of(operation);
        groups.back().push_back(operation);
    }
    return groups;
}

std::string part_of(const std::vector<Operation>& group) {
    Json part = Json::array();
    for (const Operation& operation : group) {
        if (const auto* const put = std::get_if<Put>(&operation)) {
            part.push_back({{"put", put->key}, {"value", put->value}});
        } else {
            const auto& erased = std::get<Delete>(operation);
            part.push_back({{"delete", erased.key}, {"end", erased.end}});
        }
    }
    return part.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool has_texts(const Json& object, const char* one, const char* other) {
    const auto has = [&](const char* name) {
        return object.contains(name) && object[name].is_string();
    };
    return object.is_object() && has(one) && has(other);
}

/// Otherwise it is no key of a row, and not the schema.
bool is_of_rows(const Keys& keys, const std::string& key) {
    const std::string_view row =
        std::string_view{key}.substr(std::min(key.size(), keys.rows().size()));
    return key == keys.schema() ||
           (key.starts_with(keys.rows()) && row.find('/') != std::string_view::npos);
}

bool read_part(const Keys& keys, const std::string& text, std::vector<Operation>& into) {
    const Json part = Json::parse(text, nullptr, false);
    if (!part.is_array()) {
        return false;
    }
    for (const Json& one : part) {
        if (has_texts(one, "put", "value") && is_of_rows(keys, one["put"])) {
            into.emplace_back(Put{.key = one["put"], .value = one["value"]});
        } else if (has_texts(one, "delete", "end") && is_of_rows(keys, one["delete"]) &&
                   one["delete"].get_ref<const std::string&>() <=
                       one["end"].get_ref<const std::string&>()) {
            into.emplace_back(Delete{.key = one["delete"], .end = one["end"]});
        } else {
            return false;
        }
    }
    return true;
}

/// Carries operations out on the pairs that were read.
void apply_to(std::vector<Pair>& pairs, const std::vector<Operation>& operations) {
    const auto place_of = [&](const std::string& key) {
        return std::ranges::lower_bound(pairs, key, {}, &Pair::key);
    };
    for (const Operation& operation : operations) {
        if (const auto* const put = std::get_if<Put>(&operation)) {
            const auto at = place_of(put->key);
            if (at != pairs.end() && at->key == put->key) {
                at->value = put->value;
            } else {
                pairs.insert(at, Pair{.key = put->key, .value = put->value});
            }
        } else {
            const auto& erased = std::get<Delete>(operation);
            pairs.erase(place_of(erased.key), place_of(erased.end));
        }
    }
}

tl::unexpected<Error> damaged_part(const std::string& key) {
    return fail(Errc::store_failed,
                "etcd holds " + key + ", a part of a change, which is damaged; restore a backup");
}

/// Adds the operations of a change, unless a part of it is still to come.
Result<void> read_parts(const Keys& keys, const std::string& directory,
                        const std::vector<const Pair*>& pieces,
                        std::vector<Operation>& operations) {
    const Pair& last = *pieces.back();
    if (last.key != directory + "whole") {  // It sorts behind the parts.
        return {};
    }
    if (last.value != std::to_string(pieces.size() - 1)) {
        return damaged_part(directory);
    }
    for (const Pair* piece : pieces) {
        if (piece != &last && !read_part(keys, piece->value, operations)) {
            return damaged_part(piece->key);
        }
    }
    return {};
}

}  // namespace

bool fits(const std::vector<Operation>& operations) {
    std::size_t bytes = 0;
    for (const Operation& operation : operations) {
        bytes += bytes_of(operation);
    }
    return operations.size() <= operations_at_once && bytes <= bytes_at_once;
}

std::vector<std::vector<Operation>> groups_of(const std::vector<Operation>& operations) {
    return group(operations, operations_at_once, bytes_at_once);
}

std::vector<std::string> parts_of(const std::vector<Operation>& operations) {
    std::vector<std::string> parts;
    for (const auto& one : group(operations, operations.size(), bytes_of_part)) {
        parts.push_back(part_of(one));
    }
    return parts;
}

Result<Holdings> holdings_of(const Keys& keys, const Snapshot& snapshot) {
    Holdings holdings{.rows = {.at = snapshot.at, .pairs = {}}};
    std::map<std::string, std::vector<const Pair*>> parts;  // By the directory of a change.
    for (const Pair& pair : snapshot.pairs) {
        if (pair.key == keys.commit()) {
            holdings.last_commit = pair.value;
            holdings.committed = pair.changed;
        } else if (pair.key.starts_with(keys.rows()) || pair.key == keys.schema()) {
            holdings.rows.pairs.push_back(pair);
        } else if (pair.key.starts_with(keys.parts())) {
            parts[pair.key.substr(0, pair.key.rfind('/') + 1)].push_back(&pair);
        }
    }
    for (const auto& [directory, pieces] : parts) {
        if (const auto read = read_parts(keys, directory, pieces, holdings.unfinished); !read) {
            return tl::unexpected{read.error()};
        }
        holdings.leftovers.emplace_back(Delete{.key = directory, .end = end_of(directory)});
    }
    auto& rows = holdings.rows.pairs;
    apply_to(rows, holdings.unfinished);
    holdings.schema = rows::schema_version;
    if (!rows.empty() && rows.back().key == keys.schema()) {  // It sorts behind the rows.
        const auto schema = schema_of(keys, rows.back().value);
        if (!schema) {
            return tl::unexpected{schema.error()};
        }
        holdings.schema = *schema;
        rows.pop_back();
    }
    return holdings;
}

Result<std::uint32_t> schema_of(const Keys& keys, const std::string& value) {
    const auto schema = number_in<std::uint32_t>(value);
    if (!schema || *schema < rows::first_shared_schema) {
        return fail(
            Errc::store_failed,
            fmt::format("etcd holds {} with the value {}, which muster never wrote; restore "
                        "a backup",
                        keys.schema(), in_quotes(value)));
    }
    if (*schema > rows::schema_version) {
        return rows::too_new("the store below " + keys.prefix + " in etcd", *schema);
    }
    return *schema;
}

tl::unexpected<Error> without_meta(const Keys& keys) {
    return fail(Errc::store_failed,
                "the store below " + keys.prefix +
                    " in etcd is damaged (its row of meta is missing); restore a backup");
}

}  // namespace muster::coordinator::etcd
