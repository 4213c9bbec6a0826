#include "tests/unit/coordinator/flow/function_trace.hpp"

#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <map>
#include <memory>

#include "common/base/ensure.hpp"

namespace {

// Plain memory: a function that allocates it might be traced itself.
std::array<void*, std::size_t{1} << 20U> entered;
std::size_t count = 0;
bool is_on = false;

}  // namespace

// The compiler calls these at the beginning and the end of each traced function.
extern "C" {
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void* function, void* caller);
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void* function, void* caller);

void __cyg_profile_func_enter(void* function, void* /*caller*/) {
    if (is_on && count < entered.size()) {
        entered[count++] = function;
    }
}

void __cyg_profile_func_exit(void* /*function*/, void* /*caller*/) {}
}

namespace muster::coordinator::testing {
namespace {

std::string name_of(void* function) {
    Dl_info info{};
    if (dladdr(function, &info) == 0 || info.dli_sname == nullptr) {
        return {};  // A function of one file.
    }
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> demangled{
        abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status), &std::free};
    return demangled ? short_name(demangled.get()) : std::string{};
}

}  // namespace

FunctionTrace::FunctionTrace() {
    ensure(!is_on, "one trace exists at a time");
    count = 0;
    is_on = true;
}

FunctionTrace::~FunctionTrace() { is_on = false; }

std::vector<std::string> FunctionTrace::names() const {
    is_on = false;
    ensure(count < entered.size(), "the trace has room for all that was entered");
    std::map<void*, std::string> known;
    std::vector<std::string> all;
    for (std::size_t at = 0; at < count; ++at) {
        const auto [name, is_new] = known.try_emplace(entered[at]);
        if (is_new) {
            name->second = name_of(entered[at]);
        }
        if (!name->second.empty()) {
            all.push_back(name->second);
        }
    }
    return all;
}

std::string short_name(std::string_view demangled) {
    // Leaves out text in angle brackets and everything from the first parenthesis on.
    std::string plain;
    int depth = 0;
    for (const char letter : demangled) {
        if (letter == '(' && depth == 0) {
            break;
        }
        depth += letter == '<' ? 1 : 0;
        if (depth == 0) {
            plain += letter;
        }
        depth -= letter == '>' ? 1 : 0;
    }
    if (const auto space = plain.rfind(' '); space != std::string::npos) {
        plain.erase(0, space + 1);
    }
    // The last two parts are the class and the function.
    const auto last = plain.rfind("::");
    if (last == std::string::npos || last == 0) {
        return plain;
    }
    const auto before = plain.rfind("::", last - 1);
    return before == std::string::npos ? plain : plain.substr(before + 2);
}

}  // namespace muster::coordinator::testing
