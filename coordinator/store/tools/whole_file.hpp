#pragma once

#include <optional>
#include <string>

#include "coordinator/store/leader_lock.hpp"
#include "coordinator/store/whole_store.hpp"

namespace muster::coordinator {

/// The store in the SQLite file of a state directory.
class WholeFile : public WholeStore {
public:
    explicit WholeFile(std::string directory);

    [[nodiscard]] std::string name() const override { return "the store '" + file_ + "'"; }
    [[nodiscard]] Result<WholeContent> read() override;
    [[nodiscard]] Result<void> check_empty() override;
    [[nodiscard]] Result<void> check_unled() override;
    [[nodiscard]] Result<void> claim() override;
    [[nodiscard]] Result<void> write(const Mirror& rows) override;
    [[nodiscard]] Result<std::string> retire(const std::string& successor) override;

private:
    std::string directory_;
    std::string file_;
    std::optional<LeaderLock> lock_;
};

/// All rows of a store's file, after a check of the file.
[[nodiscard]] Result<std::unique_ptr<Mirror>> read_store_file(const std::string& path);
/// Makes a store's file of a database, whole or not at all, for its owner alone. `exists`: the file
/// is there.
[[nodiscard]] Result<void> write_store_file(const sqlite::Database& database,
                                            const std::string& path);

}  // namespace muster::coordinator
