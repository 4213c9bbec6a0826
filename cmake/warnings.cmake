# muster_warnings: what every target of ours is compiled with, and nothing of anybody else's.

add_library(muster_warnings INTERFACE)
target_compile_options(muster_warnings INTERFACE
    -Wall
    -Wextra
    -Wpedantic
    -Wshadow
    -Wconversion
    -Wsign-conversion
    -Wold-style-cast
    -Wnon-virtual-dtor
    -Woverloaded-virtual
    -Wcast-align
    -Wformat=2
    -Wimplicit-fallthrough
    -Wmissing-declarations
    -Wswitch-enum
    # Clang does not know these. -Wnull-dereference is left out: GCC 12 raises false alarms.
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond;-Wduplicated-branches;-Wlogical-op>
    # GCC 12 takes "a" + std::string for overlapping memory once it is inlined.
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
    # GCC 12 to 14 at -O3 take the unused members of a moved variant for uninitialised ones; the
    # sanitizers look at the real thing.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
)
if(MUSTER_WERROR)
    target_compile_options(muster_warnings INTERFACE -Werror)
endif()

# Bounds of containers are checked in every build: a daemon that stops is found, one that reads past
# an end is not.
target_compile_definitions(muster_warnings INTERFACE _GLIBCXX_ASSERTIONS)
