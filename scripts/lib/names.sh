# Sourced by scripts/lint: clang-tidy's checks of names and of the size of functions, for the sources of the
# programs, in a fraction of the time that all checks take.
#
#   check_names TIDY JOBS   prints the findings, at most JOBS files at once; fails if there are any
#
# Most of the time goes to headers. So all sources of a room are one unit, which includes them: that takes
# a third of the time of the units of the targets. Files of one unit may use the same name in their anonymous
# namespaces: a file with such an error is checked again alone.

names_dir=build/names
names_checks='-*,readability-function-size,readability-identifier-naming'

tidy_unit() {
    "$tidy" --quiet --checks="$names_checks" --config-file=.clang-tidy "$1" -- \
        -std=c++20 -w -ferror-limit=0 -I. -isystem "$names_dir/api" '-DMUSTER_VERSION=""' 2>&1
}

# Prints one line for each finding and each error, by its file below the root.
lines_of() {
    grep -E ': (fatal )?error: ' | sed -E "s#^($PWD/)?(\./)?##" | sort --unique
}

# Also for a subshell of its own, which xargs starts.
check_unit() {
    local unit=$1 found file log=$names_dir/$1.log
    tidy_unit "$names_dir/$unit.cpp" | lines_of >"$log" || true
    grep '\[readability-' "$log" || true
    # An error may hide findings. That of a header is of one of the files that include it before.
    grep --invert-match '\[readability-' "$log" | grep -oE '^[a-z][^:]*\.[ch]pp' | sort --unique | while read -r file; do
        found=$(tidy_unit "$file" | lines_of) || true
        if [[ -n $found ]]; then
            printf '%s\n' "$found"
        fi
    done
}

write_unit() {
    sed 's/.*/#include "&"/' >"$names_dir/$1.cpp"
}

sources_below() {
    find "$@" -name '*.cpp' | sort
}

check_names() {
    local jobs=$2
    export tidy=$1 names_dir names_checks
    rm -rf "$names_dir"
    mkdir -p "$names_dir/api"
    # What etcd_client.cpp includes, if a store in etcd can be built here.
    local without=etcd_client.cpp
    if protoc --proto_path=coordinator/store/etcd --cpp_out="$names_dir/api" --grpc_out="$names_dir/api" \
        --plugin=protoc-gen-grpc="$(command -v grpc_cpp_plugin)" etcd.proto 2>/dev/null; then
        without=
    fi
    sources_below sim | write_unit sim
    sources_below common | write_unit common
    sources_below coordinator/core | write_unit core
    sources_below coordinator/store -not -name "${without:-none}" | write_unit store
    sources_below coordinator -not -path 'coordinator/core/*' -not -path 'coordinator/store/*' | write_unit coordinator
    sources_below cli | write_unit cli
    sources_below agent | write_unit agent
    # The longest first.
    printf '%s\n' sim common core coordinator store cli agent |
        xargs --max-procs "$jobs" -I{} bash -c 'source scripts/lib/names.sh; check_unit {}' |
        sort --unique >"$names_dir/findings"
    cat "$names_dir/findings"
    [[ ! -s $names_dir/findings ]]
}
