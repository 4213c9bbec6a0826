# How a library, a program and a test of muster are made. A directory's CMakeLists.txt names its
# sources and its dependencies; everything common to all targets is here.

# Includes are written from the root of the source tree, so that the folder shows the layer.
function(muster_configure target)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE muster_warnings muster_instrumentation)
    # GCC looks for garbage only when it has 2 GB, which few units need: a tenth less to compile.
    target_compile_options(${target} PRIVATE
        $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=2000000>)
    if(MUSTER_TIDY)
        set_target_properties(${target} PROPERTIES CXX_CLANG_TIDY "${CLANG_TIDY};--quiet")
    endif()
endfunction()

# A release build takes a fifth less for such code.
function(muster_optimise_less target)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# muster_library(NAME [RARE] SOURCES file... PUBLIC dependency... PRIVATE dependency...)
# RARE: its code runs once a command or a change, or is a small part of what runs for each report:
# bench-decode, bench-apply and bench-turn show no difference.
function(muster_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "RARE" "" "SOURCES;PUBLIC;PRIVATE")
    muster_take_mutated(arg_SOURCES)
    add_library(${name} STATIC ${arg_SOURCES})
    muster_configure(${name})
    if(arg_RARE)
        muster_optimise_less(${name})
    endif()
    target_link_libraries(${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
endfunction()

# Builds all that `cmake --install` takes, and nothing else.
add_custom_target(muster_installed)

# muster_program(NAME [INSTALL] [RARE] SOURCES file... LINK dependency...)
function(muster_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "INSTALL;RARE" "" "SOURCES;LINK")
    add_executable(${name} ${arg_SOURCES})
    muster_configure(${name})
    if(arg_RARE)
        muster_optimise_less(${name})
    endif()
    target_link_libraries(${name} PRIVATE ${arg_LINK})
    target_compile_definitions(${name} PRIVATE MUSTER_VERSION="${PROJECT_VERSION}")
    if(arg_INSTALL)
        install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
        add_dependencies(muster_installed ${name})
    endif()
endfunction()

# muster_test(NAME [BUSY] [PLAIN] [CHECKED] [PURE] SOURCES file... LINK dependency... LABELS label...
#             DEFINES macro=value... USES program... ENVIRONMENT variable=value...)
#
# A test program with Catch's main, each of its test cases known to ctest as "NAME:test case".
# BUSY: its tests compute for long, which costs more than to optimise it.
# PLAIN: scripts/test does not build it with sanitizers.
# CHECKED: its tests start no daemon, so it is not part of a release build: scripts/test builds and
# runs it with sanitizers alone. A target of its name is there all the same.
# PURE: its tests leave nothing behind in their process. With sanitizers, where a process takes a
# quarter of a second to begin and to end, those of a file share one, which ctest knows as "NAME:file".
# USES names the programs that it starts. A test case that warns "SKIPPED: reason", and in which
# nothing fails, is counted as skipped.
function(muster_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "BUSY;PLAIN;CHECKED;PURE" "" "SOURCES;LINK;LABELS;DEFINES;USES;ENVIRONMENT")
    if(MUSTER_MUTANTS)
        list(APPEND arg_SOURCES ${PROJECT_SOURCE_DIR}/tests/mutant_at_work.cpp)
        list(APPEND arg_LINK muster_mutants)
    endif()
    add_executable(${name} ${arg_SOURCES})
    muster_configure(${name})
    if(arg_CHECKED AND CMAKE_BUILD_TYPE STREQUAL "Release")
        set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    endif()
    if(MUSTER_TIDY)
        # What Catch makes of a test has many branches, and what it compares is to be shown.
        set_target_properties(${name} PROPERTIES CXX_CLANG_TIDY
            "${CLANG_TIDY};--quiet;--checks=-readability-container-size-empty,-readability-function-size")
    endif()
    target_link_libraries(${name} PRIVATE ${arg_LINK} muster_catch_main)
    target_compile_definitions(${name} PRIVATE ${arg_DEFINES})
    # What is tested is compiled as it is released; to optimise the checks costs a third of the build.
    # Where both need a function of the standard library, the linker takes that of the checks.
    # -Og takes a fifth less of a build with sanitizers than -O1.
    set(busy $<IF:$<CONFIG:Release>,-O1,-Og>)
    target_compile_options(${name} PRIVATE $<IF:$<BOOL:${arg_BUSY}>,${busy},-O0>)
    foreach(program IN LISTS arg_USES)
        add_dependencies(${name} ${program})
    endforeach()
    if(NOT arg_PLAIN AND NOT "integration" IN_LIST arg_LABELS)
        add_dependencies(muster_sanitized_tests ${name})
    endif()
    # Catch loses a property whose value is empty, and takes the name of the next one for its value.
    set(labels)
    if(arg_LABELS)
        set(labels LABELS "${arg_LABELS}")
    endif()
    set(environment "XDG_CONFIG_HOME=${PROJECT_BINARY_DIR}/no-contexts;${arg_ENVIRONMENT}")
    if(arg_PURE AND MUSTER_SANITIZE)
        list(FILTER arg_SOURCES INCLUDE REGEX "_test\\.cpp$")
        list(TRANSFORM arg_SOURCES REPLACE "^(.*/)?([^/]*)\\.cpp$" "\\2")
        list(REMOVE_DUPLICATES arg_SOURCES)  # Files of one name are run together.
        foreach(file IN LISTS arg_SOURCES)
            add_test(NAME "${name}:${file}" COMMAND ${name} --filenames-as-tags "[#${file}]")
            set_tests_properties("${name}:${file}"
                PROPERTIES TIMEOUT 300 ${labels} ENVIRONMENT "${environment}"
                           FAIL_REGULAR_EXPRESSION "No tests? ")
        endforeach()
        return()
    endif()
    catch_discover_tests(${name}
        TEST_PREFIX "${name}:"
        PROPERTIES TIMEOUT 300 ${labels} ENVIRONMENT "${environment}"
        SKIP_REGULAR_EXPRESSION "SKIPPED: .*(All tests passed|test cases: 1 . 1 passed)")
endfunction()
