#include "bench/zmtp_curve.hpp"

#include <algorithm>
#include <sodium.h>

#include "common/base/ensure.hpp"
#include "common/codec/codec.hpp"
#include "common/crypto/hash.hpp"

namespace muster::bench::zmtp {

using namespace std::string_view_literals;

namespace {

constexpr std::size_t short_nonce = 8;
constexpr unsigned char inner_more = 1;
constexpr unsigned char inner_command = 2;

unsigned char* bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* bytes(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}
std::string text(const PublicKey& key) { return {key.bytes.begin(), key.bytes.end()}; }

std::string box(std::string_view nonce, std::string_view plain, const PublicKey& to,
                const SecretKey& from) {
    std::string sealed(plain.size() + crypto_box_MACBYTES, '\0');
    ensure(nonce.size() == crypto_box_NONCEBYTES &&
               crypto_box_easy(bytes(sealed), bytes(plain), plain.size(), bytes(nonce),
                               to.bytes.data(), from.bytes().data()) == 0,
           "a box is made");
    return sealed;
}

}  // namespace

KeyPair bench_key(std::string_view whose, std::uint32_t number) {
    const SecretKey secret{hash_of(std::string{whose} + std::to_string(number))};
    return {public_half(secret), secret};
}

CurveLink::CurveLink(const PublicKey& server, const KeyPair& own)
    : server_{server}, own_{own}, passing_{bench_key("passing" + to_string(own.open))} {}

std::string CurveLink::greeting() {
    std::string made = zmtp::greeting();
    constexpr std::size_t mechanism = 12;
    made.replace(mechanism, 5, "CURVE");
    return made;
}

std::string CurveLink::next_nonce() {
    std::string nonce(short_nonce, '\0');
    ++nonces_;
    for (std::size_t i = 0; i < short_nonce; ++i) {
        nonce[short_nonce - 1 - i] = static_cast<char>(nonces_ >> (8 * i) & 0xffU);
    }
    return nonce;
}

std::string CurveLink::hello() {
    const std::string nonce = next_nonce();
    return frame(
        command_flag,
        std::string{"\5HELLO\1\0"sv} + std::string(72, '\0') + text(passing_.open) + nonce +
            box("CurveZMQHELLO---" + nonce, std::string(64, '\0'), server_, passing_.secret));
}

std::string CurveLink::initiate(std::string_view welcome) {
    ensure(welcome.size() == 168, "a WELCOME");
    std::string opened(128, '\0');
    const std::string nonce = "WELCOME-" + std::string{welcome.substr(8, 16)};
    const std::string_view sealed = welcome.substr(24);
    ensure(crypto_box_open_easy(bytes(opened), bytes(sealed), sealed.size(), bytes(nonce),
                                server_.bytes.data(), passing_.secret.bytes().data()) == 0,
           "a WELCOME that we can open");
    std::copy_n(opened.begin(), PublicKey::size, their_passing_.bytes.begin());
    ensure(crypto_box_beforenm(shared_.data(), their_passing_.bytes.data(),
                               passing_.secret.bytes().data()) == 0,
           "a shared key");
    const std::string cookie = opened.substr(PublicKey::size);
    const std::string vouch_nonce(16, 'n');
    const std::string vouch = box("VOUCH---" + vouch_nonce, text(passing_.open) + text(server_),
                                  their_passing_, own_.secret);
    const std::string own_nonce = next_nonce();
    const std::string about{"\x0bSocket-Type\0\0\0\6DEALER"sv};
    return frame(command_flag, "\x08INITIATE" + cookie + own_nonce +
                                   box("CurveZMQINITIATE" + own_nonce,
                                       text(own_.open) + vouch_nonce + vouch + about,
                                       their_passing_, passing_.secret));
}

std::string CurveLink::sealed(unsigned char flags, std::string_view body) {
    std::string plain(1, static_cast<char>(((flags & more_flag) != 0 ? inner_more : 0) |
                                           ((flags & command_flag) != 0 ? inner_command : 0)));
    plain += body;
    const std::string nonce = next_nonce();
    std::string made(plain.size() + crypto_box_MACBYTES, '\0');
    const std::string whole_nonce = "CurveZMQMESSAGEC" + nonce;
    crypto_box_easy_afternm(bytes(made), bytes(plain), plain.size(), bytes(whole_nonce),
                            shared_.data());
    return frame(0, "\7MESSAGE" + nonce + made);
}

std::string CurveLink::message(std::string_view body) {
    std::string both = sealed(more_flag, codec::version_frame());
    both += sealed(0, body);
    return both;
}

Frame CurveLink::opened(std::string_view body) {
    constexpr std::size_t head = 8;
    ensure(body.starts_with("\7MESSAGE"sv) && body.size() > head + short_nonce, "a MESSAGE");
    const std::string nonce = "CurveZMQMESSAGES" + std::string{body.substr(head, short_nonce)};
    const std::string_view sealed = body.substr(head + short_nonce);
    opened_.resize(sealed.size() - crypto_box_MACBYTES);
    ensure(crypto_box_open_easy_afternm(bytes(opened_), bytes(sealed), sealed.size(), bytes(nonce),
                                        shared_.data()) == 0,
           "a MESSAGE that we can open");
    const auto inner = static_cast<unsigned char>(opened_[0]);
    const auto flags =
        static_cast<unsigned char>(((inner & inner_more) != 0 ? more_flag : 0) |
                                   ((inner & inner_command) != 0 ? command_flag : 0));
    return {flags, std::string_view{opened_}.substr(1)};
}

}  // namespace muster::bench::zmtp
