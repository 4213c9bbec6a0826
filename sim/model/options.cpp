#include "sim/model/options.hpp"

#include "common/base/ensure.hpp"

namespace muster::sim {

Duration draw(Random& random, const Span& span) {
    ensure(span.most >= span.least, "a span's end is not before its beginning");
    const auto width = static_cast<std::uint64_t>((span.most - span.least).count());
    return span.least + Duration{static_cast<std::int64_t>(random.below(width + 1))};
}

}  // namespace muster::sim
