#pragma once

#include <memory>
#include <string>

#include "common/base/time.hpp"
#include "coordinator/store/etcd/etcd_client.hpp"
#include "coordinator/store/etcd/etcd_keys.hpp"
#include "coordinator/store/whole_store.hpp"

namespace muster::coordinator::etcd {

/// The store below a prefix in etcd.
///
/// Its rows are written in parts, and take effect with one transaction. So a tool that is killed
/// before leaves parts that nobody reads, and one that is killed later leaves work to the next
/// leader. The key of the leader keeps coordinators away, as long as its lease is renewed.
class WholeEtcd : public WholeStore {
public:
    [[nodiscard]] static Result<std::unique_ptr<WholeEtcd>> open(const Options& etcd,
                                                                 const std::string& prefix,
                                                                 Duration lease);
    ~WholeEtcd() override;

    [[nodiscard]] std::string name() const override {
        return "the store below " + keys_.prefix + " in etcd";
    }
    [[nodiscard]] Result<WholeContent> read() override;
    [[nodiscard]] Result<void> check_empty() override;
    [[nodiscard]] Result<void> check_unled() override;
    [[nodiscard]] Result<void> claim() override;
    [[nodiscard]] Result<void> write(const Mirror& rows) override;
    [[nodiscard]] Result<std::string> retire(const std::string& successor) override;

private:
    WholeEtcd(std::unique_ptr<Client> client, std::string prefix, Duration lease)
        : client_{std::move(client)}, keys_{std::move(prefix)}, lease_{lease} {}
    [[nodiscard]] Result<Snapshot> snapshot();
    /// What parts without an effect leave to be deleted in an empty store. `refused`: it is none.
    [[nodiscard]] Result<std::vector<Operation>> leftovers();
    /// As long as the key of the leader is ours. Renews its lease.
    [[nodiscard]] Result<void> commit(std::vector<Operation> operations);
    [[nodiscard]] Result<void> commit_each(const std::vector<Operation>& operations);

    std::unique_ptr<Client> client_;
    Keys keys_;
    Duration lease_;
    LeaseId claim_{};
    Revision claimed_{};
};

}  // namespace muster::coordinator::etcd
