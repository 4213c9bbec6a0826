#include "agent/core/fencing/key_renewal.hpp"

namespace muster::agent {

void KeyRenewal::write(KeyOrder order) {
    if (!is_writing_) {
        is_writing_ = true;
        order_ = order;
    }
}

void KeyRenewal::on_poll(bool asks) {
    if (asks && made_.empty()) {
        write(KeyOrder::make);
    } else if (asks) {
        is_to_send_ = !uses_new_;
    } else if (uses_new_) {
        write(KeyOrder::keep);
    }
}

void KeyRenewal::on_registered(const std::string& key) {
    if (!made_.empty() && key == made_ && !uses_new_) {
        order_ = KeyOrder::use_new;
    }
}

void KeyRenewal::on_denied() {
    if (!made_.empty()) {
        order_ = uses_new_ ? KeyOrder::use_present : KeyOrder::use_new;
    }
}

void KeyRenewal::on_made(std::string key) {
    is_writing_ = false;
    made_ = std::move(key);
    is_to_send_ = true;
}

void KeyRenewal::on_kept() {
    is_writing_ = false;
    uses_new_ = false;
    made_.clear();
}

std::optional<std::string> KeyRenewal::take_key() {
    return std::exchange(is_to_send_, false) ? std::optional{made_} : std::nullopt;
}

}  // namespace muster::agent
