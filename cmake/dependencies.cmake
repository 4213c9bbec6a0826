# Every package muster uses, found in this one place and named once. The rest of the build says
# muster::<thing>, so a package that is renamed upstream (msgpack is, in its version 5) is changed
# here and nowhere else. Imported targets are SYSTEM includes: their warnings are not ours.

find_package(PkgConfig REQUIRED)  # cppzmq's own package file needs it.
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED)  # Headers only, used by msgpack alone.

find_package(cppzmq 4.9 CONFIG REQUIRED)
find_package(msgpack 4.1 CONFIG REQUIRED)
find_package(nlohmann_json 3.11 CONFIG REQUIRED)
find_package(tomlplusplus 3.3 CONFIG REQUIRED)
find_package(tl-expected 1.0 CONFIG REQUIRED)
find_package(fmt 9.1 CONFIG REQUIRED)
find_package(spdlog 1.10 CONFIG REQUIRED)
find_package(CLI11 2.1 CONFIG REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
find_package(date 3.0 CONFIG REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium>=1.0.18)

add_library(muster::zmq ALIAS cppzmq)
add_library(muster::msgpack ALIAS msgpackc-cxx)
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

# A store in etcd is built where gRPC is installed (scripts/setup --etcd).
find_package(Protobuf 3.21)
find_package(gRPC 1.51 CONFIG)
option(MUSTER_ETCD "Build muster-coordinator-etcd; needs gRPC" "${gRPC_FOUND}")
if(MUSTER_ETCD)
    add_library(muster::grpc ALIAS gRPC::grpc++)
endif()

if(BUILD_TESTING)
    find_package(Catch2 2.13 REQUIRED)
    add_library(muster::catch ALIAS Catch2::Catch2)
    include(Catch)

    # Property tests are built where rapidcheck is installed (scripts/setup --tests).
    find_package(rapidcheck CONFIG)
    if(rapidcheck_FOUND)
        add_library(muster::rapidcheck ALIAS rapidcheck)
    endif()
endif()
