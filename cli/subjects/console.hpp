#pragma once

#include <string>
#include <string_view>

#include "cli/client.hpp"
#include "cli/exit_code.hpp"
#include "cli/settings.hpp"
#include "common/messages/operator.hpp"

namespace muster::cli {

/// A person's session with a coordinator: sends requests, shows answers in the chosen form, and
/// turns errors into sentences and exit codes.
class Console {
public:
    explicit Console(Settings settings);

    /// Sends a request, and retries it under the same id.
    [[nodiscard]] Result<ReplyBody> ask(const RequestBody& body);
    /// The same with a given patience and progress line.
    [[nodiscard]] Result<ReplyBody> ask(const RequestBody& body, const Patience& patience,
                                        Progress& progress);

    /// Writes an answer. Returns `then`, unless writing failed.
    [[nodiscard]] ExitCode show(const ReplyBody& reply, ExitCode then = ExitCode::ok) const;
    /// The answer in the form that show() writes.
    [[nodiscard]] std::string text_of(const ReplyBody& reply) const;
    /// Writes an error, and returns its exit code.
    ExitCode fail_with(const Error& error) const;

    [[nodiscard]] const Settings& settings() const { return settings_; }
    [[nodiscard]] net::Context& context() { return context_; }

private:
    Settings settings_;
    net::Context context_;
    Client client_;
};

/// Writes to standard output. Returns `then`, unless writing failed, which it reports.
[[nodiscard]] ExitCode deliver(std::string_view text, ExitCode then = ExitCode::ok);

/// An error as a line of JSON: `{"ok":false,"error":{...}}`.
[[nodiscard]] std::string error_document(const Error& error);

/// Writes an error as a sentence to standard error, or as JSON to standard output.
void show_error(const Error& error, bool json);

}  // namespace muster::cli
