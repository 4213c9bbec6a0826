#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/store/election.hpp"
#include "coordinator/store/leader_lock.hpp"

namespace muster::coordinator {

/// The election among coordinators on one state directory: whoever has the lock leads, with the
/// SQLite file beside it, for as long as its process lasts.
class FileElection : public Election {
public:
    struct Self {
        LeaderId id;
        std::string name{};  ///< Of this host.
        std::string version{};
    };

    /// `if_new`: the id of the cluster that begins with a new store.
    [[nodiscard]] static Result<std::unique_ptr<FileElection>> begin(const std::string& directory,
                                                                     const ClusterId& if_new,
                                                                     const Self& self);

    [[nodiscard]] int fd() const override { return lock_.fd(); }
    [[nodiscard]] Result<std::optional<Lead>> take_lead() override;
    void stand(const OwnState& own) override { own_ = own; }
    [[nodiscard]] std::optional<StoreImage> follow() override { return std::nullopt; }
    [[nodiscard]] std::vector<CoordinatorView> coordinators() const override;
    [[nodiscard]] LeaderSign leader() const override {
        return {.name = "another process on this host", .operators = {}, .epoch = epoch_};
    }
    [[nodiscard]] Instant leads_until() const override { return Instant::max(); }
    [[nodiscard]] std::optional<std::string> over() const override { return std::nullopt; }
    void resign() override {}

private:
    FileElection(LeaderLock lock, std::string file, const ClusterId& if_new, Self self)
        : lock_{std::move(lock)}, file_{std::move(file)}, if_new_{if_new}, self_{std::move(self)} {}

    LeaderLock lock_;
    std::string file_;
    ClusterId if_new_;
    Self self_;
    OwnState own_;
    Epoch epoch_{};  // In which this coordinator leads.
};

}  // namespace muster::coordinator
