#pragma once

#include <string>

namespace muster {

/// The file of another program of muster: beside that of this one, or in ../libexec/muster. Empty:
/// it is in neither place.
[[nodiscard]] std::string program_of_muster(const std::string& name);
/// As the kernel has it. Empty: it has none.
[[nodiscard]] std::string host_name();

/// The process keeps freed memory, up to a quarter of a GiB, for later allocations. To be called
/// once, before any thread.
///
/// By default malloc(3) returns large blocks at once. A new large block then comes page by page,
/// and a page costs the kernel up to 13 us on a virtual machine: half of the time of a large plan.
void keep_freed_memory();

/// To be called first in each main. The number of a closed standard file would go to the next file
/// or socket opened, which would then get output and logs. So a closed one is replaced by a file
/// that can be neither read nor written.
void hold_standard_files();

/// No other process reads its memory, and it leaves no core file: it holds secrets. Programs that
/// it starts are not affected.
void keep_memory_private();

}  // namespace muster
