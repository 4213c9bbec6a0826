# muster_instrumentation: sanitizers, coverage and fuzzing hooks, each off unless asked for.

add_library(muster_instrumentation INTERFACE)

set(sanitizers ${MUSTER_SANITIZE})
if(MUSTER_FUZZ)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "MUSTER_FUZZ needs clang++: libFuzzer is part of it.")
    endif()
    # Hooks without libFuzzer's own main: only the fuzz targets link that.
    list(APPEND sanitizers fuzzer-no-link)
endif()

if(sanitizers)
    list(JOIN sanitizers "," joined)
    # A finding ends the program: a test that prints one and passes has not been seen.
    target_compile_options(muster_instrumentation INTERFACE
        -fsanitize=${joined} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(muster_instrumentation INTERFACE -fsanitize=${joined})
    if("address" IN_LIST sanitizers AND "undefined" IN_LIST sanitizers)
        # Looked for at each access, they cost a quarter of the build. Null pointers and overruns are
        # found by the address sanitizer as well, and nothing here casts to what asks for alignment.
        target_compile_options(muster_instrumentation INTERFACE
            -fno-sanitize=null,alignment,object-size)
    endif()
    if("address" IN_LIST sanitizers AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # Each of 1,500 test cases is a process, and relocations are a fifth of its start.
        target_link_options(muster_instrumentation INTERFACE -no-pie)
    endif()
endif()

if(MUSTER_COVERAGE)
    target_compile_options(muster_instrumentation INTERFACE --coverage)
    target_compile_definitions(muster_instrumentation INTERFACE MUSTER_COVERAGE)
    target_link_options(muster_instrumentation INTERFACE --coverage)
endif()
