#pragma once

namespace muster {

/// The process keeps the memory that it frees, up to a quarter of a GiB, for what it allocates
/// next. To be called once, before any thread.
///
/// malloc(3) gives large blocks back at once. A new large block then comes page by page, and a
/// page costs the kernel up to 13 us on a virtual machine: half of the time of a large plan.
void keep_freed_memory();

/// To be called first in each main: a standard file that is closed would be given to the next file
/// or socket opened, and what is printed or logged would go there. In its place comes one that
/// nothing can be read from or written to.
void hold_standard_files();

}  // namespace muster
