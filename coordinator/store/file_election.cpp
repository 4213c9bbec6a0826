#include "coordinator/store/file_election.hpp"

#include "common/base/paths.hpp"
#include "common/log/log.hpp"
#include "coordinator/store/schema.hpp"
#include "coordinator/store/sqlite_store.hpp"
#include "coordinator/store/store_file.hpp"

namespace muster::coordinator {

Result<std::unique_ptr<FileElection>> FileElection::begin(const std::string& directory,
                                                          const ClusterId& if_new,
                                                          const Self& self) {
    return paths::make_private_directory(directory)
        .and_then([&] { return LeaderLock::ask(directory + "/leader.lock"); })
        .map([&](LeaderLock&& lock) {
            return std::unique_ptr<FileElection>{
                new FileElection{std::move(lock), directory + "/store.sqlite", if_new, self}};
        });
}

Result<std::optional<Lead>> FileElection::take_lead() {
    if (!lock_.take_news()) {
        return std::optional<Lead>{};
    }
    if (is_empty_file(file_)) {
        log::warn(
            "the store was an empty file, so a new cluster begins; if it held one, stop and "
            "restore a backup",
            {{"file", file_}, {"cluster", to_string(if_new_)}});
    }
    return SqliteStore::open(file_, if_new_).and_then([&](std::unique_ptr<SqliteStore>&& store) {
        return store->begin_leadership(self_.id).map([&](StoreImage&& image) {
            epoch_ = image.meta.epoch;
            return std::optional{Lead{.store = std::move(store), .image = std::move(image)}};
        });
    });
}

// Others that wait for the lock cannot be seen.
std::vector<CoordinatorView> FileElection::coordinators() const {
    return {{.name = self_.name,
             .role = "leader",
             .epoch = epoch_,
             .agents = own_.agents,
             .operators = own_.operators,
             .version = self_.version,
             .is_asked = true,
             .schema = rows::schema_version}};
}

}  // namespace muster::coordinator
