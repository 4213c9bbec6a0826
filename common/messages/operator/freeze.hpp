#pragma once

#include <cstdint>
#include <string>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator/intents.hpp"

/// The stop of all rescheduling: what operators ask of it, and how it is.
namespace muster {

struct FreezeShowRequest {
    friend bool operator==(const FreezeShowRequest&, const FreezeShowRequest&) = default;
};
/// It begins, or goes on, until an operator ends it.
struct FreezeOnRequest {
    Occasion why{};

    friend bool operator==(const FreezeOnRequest&, const FreezeOnRequest&) = default;
};
/// It ends, whoever began it. The nodes that are silent are given up as lost.
struct FreezeOffRequest {
    Occasion why{};

    friend bool operator==(const FreezeOffRequest&, const FreezeOffRequest&) = default;
};

struct FreezeView {
    bool on = false;
    bool manual = false;  ///< An operator began it, or keeps it; else so many fell silent.
    CivilMs since{};      ///< 0: it is not.
    std::string reason{};
    std::string author{};
    std::uint32_t counted = 0;      ///< Nodes that may begin it by their silence,
    std::uint32_t silent = 0;       ///< and those of them that are silent.
    std::uint32_t enter_at = 0;     ///< It begins with so many silent ones.
    std::uint32_t leave_below = 0;  ///< It may end with fewer than these.
    std::uint32_t calm_terms = 0;   ///< So many terms of the five that it takes have been so.
    std::string detail{};           ///< When it ends, or would begin, in words.

    friend bool operator==(const FreezeView&, const FreezeView&) = default;
};

struct FreezeReply {
    Generation counter{};
    FreezeView freeze{};

    friend bool operator==(const FreezeReply&, const FreezeReply&) = default;
};

}  // namespace muster
