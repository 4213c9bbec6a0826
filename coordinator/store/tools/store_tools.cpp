#include "coordinator/store/tools/store_tools.hpp"

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "common/base/read_file.hpp"
#include "common/crypto/key_file.hpp"
#include "coordinator/core/ledger/audit/audit.hpp"
#include "coordinator/store/rows.hpp"
#include "coordinator/store/tools/checks.hpp"
#include "coordinator/store/tools/export_text.hpp"
#include "coordinator/store/tools/store_copy.hpp"
#include "coordinator/store/tools/whole_file.hpp"

namespace muster::coordinator {

namespace {

bool is_standard(const std::string& file) { return file.empty() || file == "-"; }

Result<void> check_new(const std::string& file) {
    std::error_code none;
    return !std::filesystem::exists(std::filesystem::symlink_status(file, none))
               ? Result<void>{}
               : fail(Errc::exists, file + " exists already; choose another name");
}

/// Under another name first: a file of that name is whole.
Result<void> write_new_file(const std::string& file, std::string_view text) {
    const std::string part = file + ".part";
    return check_new(file)
        .and_then([&] {
            unlink(part.c_str());  // Of a program that was killed.
            return write_secret_file(part, text);
        })
        .and_then([&] { return replace_file(part, file); });
}

std::string described(const Findings& found) {
    return fmt::format("{} of the cluster {}, epoch {}", found.counts,
                       to_string(found.meta.cluster), raw(found.meta.epoch));
}

/// For rows that are to be written: a coordinator can start with them.
Result<Findings> check_sound(const Mirror& rows, const std::string& name, const ToolRun& run) {
    return check_rows(rows, run.keys).and_then([&](Findings&& found) -> Result<Findings> {
        if (found.faults.empty()) {
            return std::move(found);
        }
        const std::size_t more = found.faults.size() - 1;
        return fail(Errc::refused,
                    name + " has a fault: " + found.faults.front() +
                        (more > 0 ? fmt::format(" (and {} more)", more) : std::string{}));
    });
}

/// What the next home of the rows has besides them: the next epoch, and a row of the audit, which
/// only the key of the cluster can add.
Result<Findings> begin_anew(Mirror& rows, Findings found, std::string_view action,
                            const std::string& from, const ToolRun& run) {
    found.meta.epoch = next(found.meta.epoch);
    found.meta.leader = {};
    std::vector<Write> writes{found.meta};
    if (run.keys) {
        Audit{run.keys->orders, found.audit_head}.add({.at = run.now,
                                                       .actor = "local",
                                                       .action = std::string{action},
                                                       .result = "accepted",
                                                       .detail = fmt::format("from {}", from),
                                                       .epoch = found.meta.epoch,
                                                       .counter = found.meta.counter},
                                                      writes);
    }
    for (const Write& write : writes) {
        if (const auto done = rows.apply(write); !done) {
            return tl::unexpected{done.error()};
        }
    }
    return found;
}

/// An export, or a store in a file.
Result<std::unique_ptr<Mirror>> read_rows_of(const std::string& file) {
    const std::string name = is_standard(file) ? "standard input" : file;
    return read_file(file, unbounded, "{").and_then([&](const std::string& text) {
        const bool is_store = text.starts_with("SQLite format 3") && !is_standard(file);
        return is_store ? read_store_file(file) : read_export(text, name);
    });
}

}  // namespace

Result<ToolOutcome> export_store(WholeStore& store, const std::string& file, const ToolRun& run) {
    const auto content = store.read();
    if (!content) {
        return tl::unexpected{content.error()};
    }
    auto made = export_of(*content->rows);
    if (!made) {
        return tl::unexpected{made.error()};
    }
    const std::string what = fmt::format("{} rows of {} to {}", made->rows, store.name(),
                                         is_standard(file) ? "standard output" : file);
    if (run.is_dry) {
        return (is_standard(file) ? Result<void>{} : check_new(file)).map([&] {
            return ToolOutcome{"would write " + what + '\n'};
        });
    }
    if (is_standard(file)) {
        return ToolOutcome{std::move(made->text)};
    }
    return write_new_file(file, made->text).map([&] {
        return ToolOutcome{"wrote " + what + '\n'};
    });
}

Result<ToolOutcome> import_store(WholeStore& store, const std::string& file, const ToolRun& run) {
    const auto rows = read_rows_of(file);
    if (!rows) {
        return tl::unexpected{rows.error()};
    }
    const auto found = check_sound(**rows, file, run).and_then([&](Findings&& sound) {
        return begin_anew(**rows, std::move(sound), "store import", file, run);
    });
    if (!found) {
        return tl::unexpected{found.error()};
    }
    const std::string what = described(*found) + ", into " + store.name();
    if (run.is_dry) {
        return store.check_unled().and_then([&] { return store.check_empty(); }).map([&] {
            return ToolOutcome{"would import " + what + '\n'};
        });
    }
    return store.check_empty()
        .and_then([&] { return store.claim(); })
        .and_then([&] { return store.write(**rows); })
        .map([&] {
            return ToolOutcome{"imported " + what +
                               "\nstart the coordinators; if the store is older than what the "
                               "agents know, 'muster status' says that they are ahead\n"};
        });
}

Result<ToolOutcome> check_store(WholeStore& store, const ToolRun& run) {
    const auto faulty = [&](const std::vector<std::string>& faults) {
        ToolOutcome outcome{fmt::format("{}: {} fault{}\n", store.name(), faults.size(),
                                        faults.size() == 1 ? "" : "s"),
                            true};
        for (const std::string& fault : faults) {
            outcome.text += "  " + fault + '\n';
        }
        return outcome;
    };
    auto content = store.read();
    auto found = content ? check_rows(*content->rows, run.keys)
                         : Result<Findings>{tl::unexpected{content.error()}};
    if (!found && found.error().code == Errc::store_failed) {
        return faulty({found.error().detail});
    }
    if (!found) {
        return tl::unexpected{found.error()};
    }
    ToolOutcome outcome = found->faults.empty()
                              ? ToolOutcome{store.name() + " is ok: " + described(*found) + '\n'}
                              : faulty(found->faults);
    outcome.text += found->audit + '\n';
    for (const std::string& note : content->notes) {
        outcome.text += note + '\n';
    }
    return outcome;
}

Result<ToolOutcome> migrate_store(WholeStore& from, WholeStore& to, const ToolRun& run) {
    auto may = from.check_unled().and_then([&] { return to.check_unled(); }).and_then([&] {
        return to.check_empty();
    });
    if (may && !run.is_dry) {
        may = from.claim().and_then([&] { return to.claim(); });
    }
    if (!may) {
        return tl::unexpected{may.error()};
    }
    const auto content = from.read();
    if (!content) {
        return tl::unexpected{content.error()};
    }
    const auto found = check_sound(*content->rows, from.name(), run).and_then([&](Findings&& all) {
        return begin_anew(*content->rows, std::move(all), "store migrate", from.name(), run);
    });
    if (!found) {
        return tl::unexpected{found.error()};
    }
    const std::string what =
        described(*found) + ", from " + from.name() + " to " + to.name() + '\n';
    if (run.is_dry) {
        return ToolOutcome{"would move " + what};
    }
    return to.write(*content->rows)
        .and_then([&] { return from.retire(to.name()); })
        .map([&](const std::string& kept) { return ToolOutcome{"moved " + what + kept + '\n'}; });
}

Result<ToolOutcome> back_up_file(const std::string& store, const std::string& file,
                                 const ToolRun& run) {
    const auto copy = copy_of_store(store);
    if (!copy) {
        return tl::unexpected{copy.error()};
    }
    if (run.is_dry) {
        return check_new(file).map([&] {
            return ToolOutcome{"would write a copy of the store '" + store + "' to " + file + '\n'};
        });
    }
    return write_store_file(**copy, file)
        .and_then([&] { return read_store_file(file); })
        .and_then(
            [&](const std::unique_ptr<Mirror>& rows) { return check_sound(*rows, file, run); })
        .map([&](const Findings& found) {
            return ToolOutcome{"wrote a copy of the store '" + store + "' to " + file + ": " +
                               described(found) + "\n" + found.audit + '\n'};
        });
}

}  // namespace muster::coordinator
