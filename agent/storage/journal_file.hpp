#pragma once

#include <memory>
#include <string>

#include "agent/core/journal.hpp"
#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/sqlite/sqlite.hpp"

namespace muster::agent {

/// The agent's journal on disk: an SQLite database. Each write is durable when it returns.
///
/// The journal names the boot of the host in which it was written, because pids and boot times mean
/// nothing in another boot.
///
/// A damaged file is renamed to `journal.damaged`, with a line in the log. Shims still report what
/// runs.
class JournalFile {
public:
    [[nodiscard]] static Result<JournalFile> open(const std::string& path, BootId boot);

    /// The content of the journal when it was opened.
    [[nodiscard]] const JournalImage& image() const { return image_; }
    [[nodiscard]] bool is_rebooted() const { return is_rebooted_; }

    /// Writes all changes, or none.
    [[nodiscard]] Result<void> write(const JournalWrite& changes);

private:
    struct Statements {
        sqlite::Statement put_instance;
        sqlite::Statement remove_instance;
        sqlite::Statement put_spec;
        sqlite::Statement remove_unused;
        sqlite::Statement put_boot;
    };

    JournalFile(std::unique_ptr<sqlite::Database> database, BootId boot);
    [[nodiscard]] Result<void> prepare();
    [[nodiscard]] Result<void> read();
    [[nodiscard]] Result<void> put(const InstanceImage& image);
    [[nodiscard]] Result<void> put(const SpecImage& image);

    std::unique_ptr<sqlite::Database> database_;
    BootId boot_;
    bool is_rebooted_ = false;
    JournalImage image_;
    std::unique_ptr<Statements> statements_;
};

}  // namespace muster::agent
