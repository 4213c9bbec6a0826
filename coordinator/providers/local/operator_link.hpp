#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/messages/operator.hpp"
#include "common/net/context.hpp"
#include "common/net/dealer.hpp"
#include "common/net/loop.hpp"

namespace muster::local_provider {

/// Requests to the coordinator of this host, over its local socket for operators, one at a time. It
/// has threads of the library: end it before a process is forked.
class OperatorLink {
public:
    explicit OperatorLink(std::string endpoint);

    [[nodiscard]] Result<ReplyBody> ask(RequestBody body);

private:
    [[nodiscard]] Result<void> connect();

    std::string endpoint_;
    net::Context context_;
    net::Dealer dealer_;
    net::Loop loop_;
    bool is_connected_ = false;
};

/// A token for each host, each good once and for its name only. Empty texts: the coordinator runs
/// without keys, so hosts need none.
[[nodiscard]] Result<std::vector<std::string>> tokens_for(const std::vector<std::string>& hosts,
                                                          const std::string& endpoint,
                                                          const std::string& reason);

/// The cluster forgets the keys of hosts that are gone for ever. Best effort: without keys, or
/// without the coordinator, there is nothing to do or nobody to do it.
void forget_keys(const std::vector<std::string>& hosts, const std::string& endpoint);

}  // namespace muster::local_provider
