#include "agent/storage/journal_file.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "agent/storage/journal_schema.hpp"
#include "common/codec/codec.hpp"
#include "common/log/log.hpp"
#include "common/sqlite/columns.hpp"

namespace muster::agent {

namespace {

using sqlite::bytes_of;
using sqlite::from_column;
using sqlite::id_of;
using sqlite::Statement;

std::int64_t column(Instant instant) { return instant.time_since_epoch().count(); }
Instant instant_of(std::int64_t column) { return Instant{Duration{column}}; }

// Each instant is stored as its 64 bits.
static_assert(sizeof(Instant) == sizeof(std::int64_t));

std::string bytes_of_starts(const std::vector<Instant>& starts) {
    return {reinterpret_cast<const char*>(starts.data()), starts.size() * sizeof(Instant)};
}

std::vector<Instant> starts_of(std::string_view bytes) {
    std::vector<Instant> starts(bytes.size() / sizeof(Instant));
    bytes.copy(reinterpret_cast<char*>(starts.data()), starts.size() * sizeof(Instant));
    return starts;
}

// A spec is stored as the batch that would bring it.
std::string bytes_of_spec(const SpecImage& image) {
    Batch batch;
    batch.specs.push_back({image.task, Generation{}, image.spec});
    std::string bytes;
    codec::encode(CoordinatorMessage{std::move(batch)}, bytes);
    return bytes;
}

std::optional<TaskSpec> spec_of(std::string_view bytes) {
    CoordinatorMessage message;
    if (!codec::decode(bytes, message)) {
        return std::nullopt;
    }
    const auto* batch = std::get_if<Batch>(&message);
    return batch == nullptr || batch->specs.size() != 1 ? std::nullopt
                                                        : std::optional{batch->specs.front().spec};
}

InstanceImage image_of(const Statement& row) {
    InstanceImage image;
    image.report.id = {std::string{row.text(0)}, static_cast<Ordinal>(row.number(1))};
    image.report.generation = from_column<Generation>(row.number(2));
    image.digest = id_of<Digest>(row.blob(3));
    image.process = from_column<ProcessId>(row.number(4));
    image.identity = {static_cast<std::int32_t>(row.number(5)),
                      static_cast<std::uint64_t>(row.number(6))};
    image.leaving = row.number(7) != 0;
    image.report.state = static_cast<InstanceState>(row.number(8));
    image.report.restarts = static_cast<std::uint32_t>(row.number(9));
    image.report.exit_code = static_cast<std::int32_t>(row.number(10));
    image.report.exit_signal = static_cast<std::int32_t>(row.number(11));
    image.report.started = CivilMs{row.number(12)};
    image.report.detail = std::string{row.text(13)};
    if (!row.is_null(14)) {
        image.retry_at = instant_of(row.number(14));
    }
    if (!row.is_null(15)) {
        image.history.running_since = instant_of(row.number(15));
    }
    image.history.delay = Duration{row.number(16)};
    image.history.starts = starts_of(row.blob(17));
    image.report.proof = {from_column<Incarnation>(row.number(18)), id_of<Digest>(row.blob(19))};
    return image;
}

void bind(Statement& statement, int parameter, const std::optional<Instant>& instant) {
    if (instant) {
        statement.bind(parameter, column(*instant));
    } else {
        statement.bind_null(parameter);
    }
}

}  // namespace

Result<JournalFile> JournalFile::open(const std::string& path, BootId boot) {
    auto database = open_journal(path);
    if (!database && database.error().code == Errc::malformed) {
        log::warn("the journal was moved aside; running instances are found through their shims",
                  {{"reason", database.error().detail}, {"as", path + ".damaged"}});
        std::remove((path + "-wal").c_str());
        if (std::rename(path.c_str(), (path + ".damaged").c_str()) != 0) {
            return fail(Errc::io, path + " cannot be moved aside: " + std::strerror(errno));
        }
        database = open_journal(path);
    }
    if (!database) {
        return tl::unexpected{database.error()};
    }
    JournalFile journal{std::move(*database), boot};
    return journal.prepare().and_then([&] { return journal.read(); }).map([&] {
        return std::move(journal);
    });
}

JournalFile::JournalFile(std::unique_ptr<sqlite::Database> database, BootId boot)
    : database_{std::move(database)}, boot_{boot} {}

Result<void> JournalFile::prepare() {
    auto put_instance = database_->prepare(
        "INSERT OR REPLACE INTO instances VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?, ?)");
    auto remove_instance =
        database_->prepare("DELETE FROM instances WHERE task = ? AND ordinal = ?");
    auto put_spec = database_->prepare("INSERT OR REPLACE INTO specs VALUES (?, ?, ?)");
    auto remove_unused = database_->prepare(
        "DELETE FROM specs WHERE task = ?1 AND digest NOT IN "
        "(SELECT digest FROM instances WHERE task = ?1)");
    auto put_boot = database_->prepare("INSERT OR REPLACE INTO meta VALUES (1, ?)");
    for (const auto* one :
         {&put_instance, &remove_instance, &put_spec, &remove_unused, &put_boot}) {
        if (!*one) {
            return tl::unexpected{one->error()};
        }
    }
    statements_ = std::make_unique<Statements>(
        Statements{std::move(*put_instance), std::move(*remove_instance), std::move(*put_spec),
                   std::move(*remove_unused), std::move(*put_boot)});
    return {};
}

Result<void> JournalFile::read() {
    auto boot = database_->prepare("SELECT boot FROM meta");
    auto instances = database_->prepare("SELECT * FROM instances ORDER BY task, ordinal");
    auto specs = database_->prepare("SELECT task, spec FROM specs ORDER BY task, digest");
    for (const auto* one : {&boot, &instances, &specs}) {
        if (!*one) {
            return tl::unexpected{one->error()};
        }
    }
    Result<bool> row = boot->step();
    if (row && *row) {
        is_rebooted_ = id_of<BootId>(boot->blob(0)) != boot_;
        row = boot->step();
    }
    for (row = row ? instances->step() : row; row && *row; row = instances->step()) {
        image_.instances.push_back(image_of(*instances));
    }
    for (row = row ? specs->step() : row; row && *row; row = specs->step()) {
        // A spec of a later version is left out. The coordinator sends it again.
        if (auto spec = spec_of(specs->blob(1))) {
            image_.specs.push_back({std::string{specs->text(0)}, std::move(*spec)});
        }
    }
    return row ? Result<void>{} : tl::unexpected{row.error()};
}

Result<void> JournalFile::put(const InstanceImage& image) {
    const InstanceReport& report = image.report;
    Statement& row = statements_->put_instance;
    row.bind_text(1, report.id.task)
        .bind(2, static_cast<std::int64_t>(report.id.ordinal))
        .bind(3, sqlite::column(report.generation))
        .bind_blob(4, bytes_of(image.digest))
        .bind(5, sqlite::column(image.process))
        .bind(6, image.identity.pid)
        .bind(7, static_cast<std::int64_t>(image.identity.start_ticks))
        .bind(8, image.leaving ? 1 : 0)
        .bind(9, static_cast<std::int64_t>(report.state))
        .bind(10, static_cast<std::int64_t>(report.restarts))
        .bind(11, report.exit_code)
        .bind(12, report.exit_signal)
        .bind(13, static_cast<std::int64_t>(report.started))
        .bind_text(14, report.detail)
        .bind(17, image.history.delay.count())
        .bind_blob(18, bytes_of_starts(image.history.starts))
        .bind(19, sqlite::column(report.proof.incarnation))
        .bind_blob(20, bytes_of(report.proof.tag));
    bind(row, 15, image.retry_at);
    bind(row, 16, image.history.running_since);
    return row.run();
}

Result<void> JournalFile::put(const SpecImage& image) {
    return statements_->put_spec.bind_text(1, image.task)
        .bind_blob(2, bytes_of(digest_of(image.spec)))
        .bind_blob(3, bytes_of_spec(image))
        .run();
}

Result<void> JournalFile::write(const JournalWrite& changes) {
    return sqlite::in_transaction(*database_, [&]() -> Result<void> {
        Result<void> done = statements_->put_boot.bind_blob(1, bytes_of(boot_)).run();
        std::set<std::string> tasks;
        for (auto image = changes.instances.begin(); done && image != changes.instances.end();
             ++image) {
            done = put(*image);
            tasks.insert(image->report.id.task);
        }
        for (auto id = changes.gone.begin(); done && id != changes.gone.end(); ++id) {
            done = statements_->remove_instance.bind_text(1, id->task)
                       .bind(2, static_cast<std::int64_t>(id->ordinal))
                       .run();
            tasks.insert(id->task);
        }
        for (auto spec = changes.specs.begin(); done && spec != changes.specs.end(); ++spec) {
            done = put(*spec);
        }
        for (auto task = tasks.begin(); done && task != tasks.end(); ++task) {
            done = statements_->remove_unused.bind_text(1, *task).run();
        }
        return done;
    });
}

}  // namespace muster::agent
