#include "coordinator/store/tools/export_text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/crypto/hash.hpp"
#include "common/sqlite/sqlite.hpp"
#include "coordinator/store/rows.hpp"
#include "coordinator/store/schema.hpp"

namespace muster::coordinator {

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::uint64_t format_version = 1;

std::string hash_text(std::string_view text) { return to_string(PublicKey{hash_of(text)}); }

std::string header_of(const Meta& meta, std::uint32_t schema) {
    return OrderedJson{{"muster_store", format_version},
                       {"schema", schema},
                       {"cluster", to_string(meta.cluster)},
                       {"epoch", raw(meta.epoch)},
                       {"counter", raw(meta.counter)}}
        .dump();
}

/// Its lines, one after the other.
class Lines {
public:
    explicit Lines(std::string_view text) : text_{text} {}

    /// Nothing: that was the last one. A line without an end is cut off, and does not count.
    [[nodiscard]] std::optional<std::string_view> next() {
        begin_ = end_;
        const auto found = text_.find('\n', begin_);
        if (found == std::string_view::npos) {
            return std::nullopt;
        }
        end_ = found + 1;
        ++number_;
        return text_.substr(begin_, found - begin_);
    }
    [[nodiscard]] std::size_t number() const { return number_; }
    [[nodiscard]] std::string_view before() const { return text_.substr(0, begin_); }
    [[nodiscard]] bool is_at_end() const { return end_ == text_.size(); }

private:
    std::string_view text_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t number_ = 0;
};

/// Reads a line as JSON, without values that are nested deeper than those of a row.
Json parse_shallow(std::string_view line) {
    constexpr int most = 8;
    return Json::parse(
        line, [](int depth, Json::parse_event_t, Json&) { return depth <= most; }, false);
}

std::optional<std::uint64_t> number_in(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_number_unsigned()
               ? std::optional{found->get<std::uint64_t>()}
               : std::nullopt;
}

std::string text_in(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Reads one file.
class Reader {
public:
    Reader(std::string_view text, const std::string& name) : lines_{text}, name_{name} {}

    Result<std::unique_ptr<Mirror>> read() {
        return read_header()
            .and_then([&] { return Mirror::open(name_, cluster_); })
            .and_then([&](std::unique_ptr<Mirror>&& mirror) {
                return sqlite::in_transaction(mirror->database(),
                                              [&] { return read_rows(*mirror); })
                    .and_then([&] { return check_rows(*mirror); })
                    .map([&] { return std::move(mirror); });
            });
    }

private:
    [[nodiscard]] tl::unexpected<Error> wrong(const std::string& what) const {
        return fail(Errc::invalid, name_ + what);
    }
    [[nodiscard]] tl::unexpected<Error> wrong_line(const std::string& what) const {
        return wrong(fmt::format(", line {}: {}", lines_.number(), what));
    }

    Result<void> read_header() {
        const auto line = lines_.next();
        const Json header = parse_shallow(line.value_or(""));
        const auto format =
            header.is_object() ? number_in(header, "muster_store") : std::optional<std::uint64_t>{};
        if (!format) {
            return wrong(
                " is not an export of a store: its first line is not a JSON object with "
                "muster_store; 'muster store export FILE' writes one");
        }
        const auto schema = number_in(header, "schema");
        const std::uint64_t known = rows::schema_version;
        if (*format > format_version || schema.value_or(0) > known) {
            return wrong(fmt::format(
                " was written by a newer muster (format {}, schema {}; this one knows {} and {}); "
                "import it with that version",
                *format, schema.value_or(0), format_version, known));
        }
        const auto cluster = parse_id<ClusterId>(text_in(header, "cluster"));
        const auto epoch = number_in(header, "epoch");
        const auto counter = number_in(header, "counter");
        if (!schema || !cluster || cluster->is_none() || !epoch || !counter) {
            return wrong_line("it needs schema, cluster, epoch and counter");
        }
        cluster_ = *cluster;
        epoch_ = Epoch{*epoch};
        counter_ = Generation{*counter};
        return {};
    }

    Result<void> read_rows(Mirror& into) {
        for (auto line = lines_.next(); line; line = lines_.next()) {
            const Json object = parse_shallow(*line);
            if (!object.is_object()) {
                return wrong_line("it is not a JSON object, so the file is damaged");
            }
            if (object.contains("rows")) {
                return read_end(object);
            }
            const std::string table = text_in(object, "table");
            const auto row = object.find("row");
            if (!into.knows(table) || row == object.end()) {
                return wrong_line("it is not a row of a table that muster has");
            }
            if (auto put = into.put(table, row->dump()); !put) {
                return wrong_line(
                    fmt::format("the row {} of {} cannot be read, so the file is damaged",
                                in_quotes(text_in(object, "key")), table));
            }
            ++count_;
        }
        return wrong(fmt::format(
            " is cut off after line {}: its last line, with the number of rows, is missing",
            lines_.number()));
    }

    Result<void> read_end(const Json& end) {
        if (number_in(end, "rows") != count_) {
            return wrong_line(
                fmt::format("it says {} rows, but there are {}, so lines are missing "
                            "or were added",
                            end["rows"].dump(), count_));
        }
        if (text_in(end, "hash") != hash_text(lines_.before())) {
            return wrong(
                " was changed after it was written: the hash in its last line does not fit");
        }
        return lines_.is_at_end() ? Result<void>{}
                                  : wrong_line("it is the last one, but others follow");
    }

    [[nodiscard]] Result<void> check_rows(const Mirror& mirror) const {
        std::size_t found = 0;
        return mirror
            .each_row([&](const RowChange& /*row*/) -> Result<void> {
                ++found;
                return {};
            })
            .and_then([&]() -> Result<void> {
                return found == count_
                           ? Result<void>{}
                           : wrong(fmt::format(" has {} rows, but only {} different ones", count_,
                                               found));
            })
            .and_then([&] { return rows::read_meta(mirror.database()); })
            .and_then([&](const Meta& meta) -> Result<void> {
                return meta.cluster == cluster_ && meta.epoch == epoch_ && meta.counter == counter_
                           ? Result<void>{}
                           : wrong(": its first line does not fit its row of meta");
            });
    }

    Lines lines_;
    const std::string& name_;
    ClusterId cluster_;
    Epoch epoch_{};
    Generation counter_{};
    std::uint64_t count_ = 0;
};

}  // namespace

Result<Export> export_of(const Mirror& rows) {
    const auto meta = rows::read_meta(rows.database());
    if (!meta) {
        return tl::unexpected{meta.error()};
    }
    Export made{.text = header_of(*meta, rows.schema()) + '\n'};
    return rows
        .each_row([&](const RowChange& row) -> Result<void> {
            // The row is an object already.
            made.text +=
                fmt::format(R"({{"table":"{}","key":{},"row":{}}})", row.table,
                            Json(row.key).dump(-1, ' ', false, Json::error_handler_t::replace),
                            row.text.value_or("{}")) +
                '\n';
            ++made.rows;
            return {};
        })
        .map([&] {
            made.text +=
                fmt::format(R"({{"rows":{},"hash":"{}"}})", made.rows, hash_text(made.text)) + '\n';
            return std::move(made);
        });
}

Result<std::unique_ptr<Mirror>> read_export(std::string_view text, const std::string& name) {
    return Reader{text, name}.read();
}

}  // namespace muster::coordinator
