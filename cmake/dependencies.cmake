# Every package and program that the build uses, found in this one place and named once. The rest of the
# build says muster::<thing>, so what is renamed upstream is changed here and nowhere else. Imported
# targets are SYSTEM includes: their warnings are not ours. The least versions are those of Debian 12.
# (tests/catch.hpp has what two versions of Catch2 call differently in sources.)

find_package(PkgConfig REQUIRED)  # cppzmq's own package file needs it.
find_package(Threads REQUIRED)

find_package(cppzmq 4.9 CONFIG REQUIRED)
# The package file of msgpack asks for Boost, whose headers it uses. CMake 3.30 has no search of its own
# for Boost any more, and warns unless it is told so.
if(POLICY CMP0167)
    cmake_policy(SET CMP0167 NEW)
endif()
# From its version 5 on, the package of msgpack and its target have another name.
find_package(msgpack-cxx CONFIG QUIET)
if(NOT msgpack-cxx_FOUND)
    find_package(msgpack 4.1 CONFIG REQUIRED)
endif()
find_package(nlohmann_json 3.11 CONFIG REQUIRED)
find_package(tomlplusplus 3.3 CONFIG REQUIRED)
find_package(tl-expected 1.0 CONFIG REQUIRED)
find_package(fmt 9.1 CONFIG REQUIRED)
find_package(spdlog 1.10 CONFIG REQUIRED)
find_package(CLI11 2.1 CONFIG REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
find_package(date 3.0 CONFIG REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium>=1.0.18)
find_program(GZIP gzip REQUIRED)
# With musl, where it is installed, the shim has no library to share memory with.
string(REPLACE "-gnu" "-musl" musl_architecture "${CMAKE_LIBRARY_ARCHITECTURE}")
find_file(MUSL_SPECS musl-gcc.specs PATHS /usr/lib/${musl_architecture} NO_DEFAULT_PATH)
if(MUSTER_MUTANTS)
    find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
endif()
if(MUSTER_TIDY)
    find_program(CLANG_TIDY NAMES clang-tidy-14 clang-tidy REQUIRED)
endif()

add_library(muster::zmq ALIAS cppzmq)
if(msgpack-cxx_FOUND)
    add_library(muster::msgpack ALIAS msgpack-cxx)
else()
    add_library(muster::msgpack ALIAS msgpackc-cxx)
endif()
add_library(muster::json ALIAS nlohmann_json::nlohmann_json)
add_library(muster::toml ALIAS tomlplusplus::tomlplusplus)
add_library(muster::expected ALIAS tl::expected)
add_library(muster::fmt ALIAS fmt::fmt)
add_library(muster::spdlog ALIAS spdlog::spdlog)
add_library(muster::cli11 ALIAS CLI11::CLI11)
add_library(muster::sqlite ALIAS SQLite::SQLite3)
add_library(muster::zones ALIAS date::date-tz)
add_library(muster::sodium ALIAS PkgConfig::sodium)
add_library(muster::threads ALIAS Threads::Threads)

# A store in etcd is built where gRPC is installed (scripts/setup --etcd). The cache keeps no answer of
# its own: gRPC may be installed after the first build.
find_package(Protobuf 3.21)
find_package(gRPC 1.51 CONFIG)
set(MUSTER_ETCD AUTO CACHE STRING "Build muster-coordinator-etcd: ON, OFF, or AUTO where gRPC is")
if(MUSTER_ETCD STREQUAL "AUTO")
    set(MUSTER_ETCD "${gRPC_FOUND}")
endif()
if(MUSTER_ETCD)
    if(NOT Protobuf_FOUND OR NOT gRPC_FOUND)
        message(FATAL_ERROR "MUSTER_ETCD needs gRPC and Protobuf: ./scripts/setup --etcd installs them.")
    endif()
    add_library(muster::grpc ALIAS gRPC::grpc++)
    add_executable(muster::protoc ALIAS protobuf::protoc)
    add_executable(muster::grpc_cpp_plugin ALIAS gRPC::grpc_cpp_plugin)
endif()

if(BUILD_TESTING)
    # No version of the package accepts a request for two major versions.
    find_package(Catch2 3.4 CONFIG QUIET)
    if(NOT Catch2_FOUND)
        find_package(Catch2 2.13 CONFIG REQUIRED)
    endif()
    add_library(muster::catch ALIAS Catch2::Catch2)
    if(TARGET Catch2::Catch2WithMain)  # Version 2 has none.
        add_library(muster::catch_main ALIAS Catch2::Catch2WithMain)
    endif()
    include(Catch)

    # Property tests are built where rapidcheck is installed (scripts/setup --tests).
    find_package(rapidcheck CONFIG)
    if(rapidcheck_FOUND)
        add_library(muster::rapidcheck ALIAS rapidcheck)
    endif()
endif()
