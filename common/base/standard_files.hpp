#pragma once

namespace muster {

/// To be called first in each main: a standard file that is closed would be given to the next file
/// or socket opened, and what is printed or logged would go there. In its place comes one that
/// nothing can be read from or written to.
void hold_standard_files();

}  // namespace muster
