#include "coordinator/store/etcd/etcd_rows.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/sqlite/sqlite.hpp"

namespace muster::coordinator::etcd {

namespace {

/// With the other operations of its transaction, this fits into what etcd accepts.
constexpr std::size_t most_value_bytes = 500'000;

/// All pieces of a row from this one on.
Delete from_piece(const std::string& row, std::size_t piece) {
    return {.key = piece == 0 ? row : row + piece_name(piece), .end = end_of(row)};
}

}  // namespace

void RowWriter::found(const std::string& row, std::size_t pieces) {
    if (pieces > 1) {
        pieces_[row] = pieces;
    }
}

void RowWriter::add(const RowChange& change) {
    const std::string row = keys_.row(change.table, change.key);
    if (!change.and_before) {
        rows_.insert_or_assign(row, change.text);
        return;
    }
    const std::string begin = keys_.rows() + change.table + "/";
    std::string& end = ends_[begin];
    end = std::max(end, row);
    rows_.erase(rows_.lower_bound(begin), rows_.lower_bound(row));
    pieces_.erase(pieces_.lower_bound(begin), pieces_.lower_bound(row));
}

std::vector<Operation> RowWriter::take() {
    std::vector<Operation> operations;
    for (auto& [begin, end] : ends_) {
        operations.emplace_back(Delete{.key = begin, .end = std::move(end)});
    }
    for (auto& [row, text] : rows_) {
        const auto before = pieces_.find(row);
        std::size_t pieces = 0;
        if (text) {
            for (std::string_view rest = *text; pieces == 0 || !rest.empty(); ++pieces) {
                operations.emplace_back(
                    Put{.key = row + piece_name(pieces),
                        .value = std::string{rest.substr(0, most_value_bytes)}});
                rest.remove_prefix(std::min(rest.size(), most_value_bytes));
            }
        }
        if (!text || (before != pieces_.end() && before->second > pieces)) {
            operations.emplace_back(from_piece(row, pieces));
        }
        if (before != pieces_.end()) {
            pieces_.erase(before);
        }
        found(row, pieces);
    }
    ends_.clear();
    rows_.clear();
    return operations;
}

static Result<void> put_rows(const Keys& keys, const Snapshot& snapshot, Mirror& into,
                             RowWriter& writer) {
    const std::size_t begin = keys.rows().size();
    for (std::size_t at = 0; at < snapshot.pairs.size();) {
        const std::string& key = snapshot.pairs[at].key;
        const std::string row = key.substr(0, key.rfind('/') + 1);
        const std::string table = key.substr(begin, key.find('/', begin) - begin);
        std::string text;
        std::size_t pieces = 0;
        for (; at < snapshot.pairs.size() && snapshot.pairs[at].key == row + piece_name(pieces);
             ++at, ++pieces) {
            text += snapshot.pairs[at].value;
        }
        if (pieces == 0) {
            return fail(Errc::store_failed, "etcd holds " + key +
                                                ", which muster never wrote; delete it, or choose "
                                                "another prefix");
        }
        if (auto put = into.put(table, text); !put) {
            return put;
        }
        writer.found(row, pieces);
    }
    return {};
}

Result<void> take_over(const Keys& keys, const Holdings& holdings, Mirror& into,
                       RowWriter& writer) {
    return into.set_schema(holdings.schema).and_then([&] {
        return sqlite::in_transaction(into.database(),
                                      [&] { return put_rows(keys, holdings.rows, into, writer); });
    });
}

}  // namespace muster::coordinator::etcd
