#!/usr/bin/env bash
# The tests of the Debian package, each a function below: package_test.sh FUNCTION. A missing tool
# skips a test (status 77); any other failure fails it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/packaging/machine.sh

skip() {
    echo "SKIPPED: $1"
    exit 77
}

fail() {
    echo "$1" >&2
    exit 1
}

need() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || skip "there is no $tool on this host; ./scripts/setup --tests installs it"
    done
}

# Goal: one command makes the package of a release.
pack() {
    need cpack dpkg-deb dpkg-shlibdeps file
    ./scripts/package --built
    [[ -f $package ]] || fail "there is no $package, but: $(ls build/package)"
}

# Goal: the package is complete: no source, no build and nothing installed is needed.
# Method: unpack it into an empty directory and run the demo with its programs.
demo() {
    ./scripts/demo --once --tree "$tree"
}

# Goal: apt and dpkg handle it as an operator expects.
# Method: dpkg's own queries. The required libraries are those that the programs are linked to.
contents() {
    local needed conffiles lines open script
    needed=$(dpkg-deb --field "$package" Depends)
    [[ $needed == *libzmq5* && $needed == *libsqlite3-0* ]] || fail "Depends: $needed"
    conffiles=$(dpkg-deb --info "$package" conffiles)
    [[ $(cd "$tree" && find etc -type f -printf '/%p\n' | sort) == "$conffiles" ]] \
        || fail "the files below /etc are not the conffiles: $conffiles"
    lines=$(grep --no-filename --invert-match '^\(#.*\)\?$' "$tree"/etc/muster/*.toml || true)
    [[ -z $lines ]] || fail "a configuration file changes something as it is shipped: $lines"
    open=$(find "$tree" -type f -perm /022)
    [[ -z $open ]] || fail "files that not only root may write: $open"
    cmp "$tree/usr/share/bash-completion/completions/muster" <("$tree/usr/bin/muster" completion bash)
    cmp "$tree/usr/share/zsh/vendor-completions/_muster" <("$tree/usr/bin/muster" completion zsh)
    [[ -f $tree/usr/share/doc/muster/docs/operations/bad-days.md ]] || fail "the package has no documentation for bad days"
    for script in postinst prerm postrm; do
        dpkg-deb --info "$package" "$script" | sh -n
    done
}

# Goal: systemd understands the units and finds them closed, and the programs that they start are in
# the package.
# Method: systemd's own check on the unpacked files. It only warns of unknown settings, so any
# output is a failure; the test proves first that it warns.
units() {
    need systemd-analyze man
    local unit said copy=$scratch/units
    export MANPATH=$tree/usr/share/man
    mkdir "$copy"
    for unit in "$tree"/lib/systemd/system/*.service; do
        sed "s|/usr/bin/|$tree/usr/bin/|" "$unit" >"$copy/${unit##*/}"
        check_programs "$copy/${unit##*/}"
    done
    [[ $(ls "$copy") == $'muster-agent.service\nmuster-coordinator.service' ]] || fail "other units: $(ls "$copy")"
    said=$(systemd-analyze verify "$copy"/*.service 2>&1) || fail "systemd refuses a unit: $said"
    [[ -z $said ]] || fail "systemd warns of a unit: $said"

    sed -i 's/^Restart=.*/&\nRestartt=always/' "$copy/muster-agent.service"
    said=$(systemd-analyze verify "$copy/muster-agent.service" 2>&1) || true
    [[ $said == *Restartt* ]] || fail "a word that systemd does not know passes the check"

    exposed_at_most 20 "$copy/muster-coordinator.service" SystemCallFilter
    exposed_at_most 90 "$copy/muster-agent.service" CapabilityBoundingSet
}

# systemd's own measure of what a unit could do to its host, in tenths. Without the restriction named,
# the unit must be found too exposed: the test proves that the measure sees it.
exposed_at_most() {
    local most=$1 unit=$2 restriction=$3 said
    said=$(systemd-analyze security --offline=true --threshold="$most" "$unit" 2>&1) \
        || fail "${unit##*/} is too exposed: ${said##*→}"
    sed -i "/^$restriction=/d" "$unit"
    ! systemd-analyze security --offline=true --threshold="$most" "$unit" >/dev/null 2>&1 \
        || fail "without $restriction, ${unit##*/} is not found too exposed"
}

# The unit uses a shell, which systemd's check does not inspect.
check_programs() {
    local program
    program=$(sed -nE 's/.*exec ([^ ]+) .*/\1/p' "$1")
    [[ -x $program ]] || fail "$1 starts '$program', which is not in the package"
}

# Goal: the manual has every verb, every option of each and every option of the daemons.
# Method: search the rendered page for the help texts of the package's programs.
manual() {
    need man
    local verb option section page daemon
    page=$(shown muster.1)
    "$tree/usr/bin/muster" help -o json | grep -o '"verb":"[^"]*"' | cut -d '"' -f 4 >"$scratch/verbs"
    (($(wc -l <"$scratch/verbs") > 30)) || fail "muster names too few verbs: $(cat "$scratch/verbs")"
    while read -r verb; do
        section=$(sed -n "/^   muster $verb\( [^a-z].*\)\?\$/,/^   muster /p" <<<"$page")
        [[ -n $section ]] || fail "muster.1 does not explain '$verb'"
        # Options of the verb itself; common options follow after them.
        for option in $("$tree/usr/bin/muster" help $verb | sed '/^options of every verb/,$d' | grep -oE '^ +(-., )?--[a-z-]+' | grep -o -- '--.*'); do
            grep -q -- "^ .*$option\b" <<<"$section" || fail "muster.1 does not list $option of '$verb'"
        done
    done <"$scratch/verbs"
    for daemon in muster-coordinator muster-agent; do
        page=$(shown "$daemon.8")
        for option in $("$tree/usr/bin/$daemon" --help | grep -oE '^  [a-z,-]+'); do
            grep -q -- "^ *$option" <<<"$page" || fail "$daemon.8 does not list $option"
        done
    done
}

shown() {
    MANWIDTH=1000 man --local-file "$tree/usr/share/man/man${1##*.}/$1.gz" | col -bx
}

# Goal: a page is valid roff, not only readable by chance.
formats() {
    need man groff
    local page said
    for page in "$tree"/usr/share/man/man*/*.gz; do
        said=$(zcat "$page" | groff -man -ww -z 2>&1; LC_ALL=C.UTF-8 man --warnings --local-file "$page" 2>&1 >/dev/null)
        [[ -z $said ]] || fail "$page: $said"
    done
}

# Goal: an operator can install, upgrade, remove and purge it, and the units do what they promise: a
# sandbox in which the coordinator works, a watchdog, tasks that outlive their agent.
# Method: use dpkg under a real systemd, in a separate machine.
installed() {
    need dpkg nsenter unshare findmnt
    start_machine "$scratch/machine" "$package" tests/packaging/installed_test.sh
    # An address by the same rule as in the demo, in another range.
    in_machine "/root/installed_test.sh 127.$((192 + ($$ >> 16 & 31))).$(($$ >> 8 & 255)).$(($$ & 255))"
}

# Goal: the page for three control nodes is right, and the sandbox of the unit lets a coordinator reach etcd.
# Method: a real systemd runs the coordinator with the files and commands of the page.
control_node() {
    need dpkg nsenter unshare findmnt ip etcd etcdctl openssl
    [[ -f ${package/muster_/muster-etcd_} ]] || skip "muster was built without etcd"
    start_machine "$scratch/machine" "$package" "${package/muster_/muster-etcd_}" tests/packaging/control_node_test.sh
    in_machine /root/control_node_test.sh
}

package=build/package/muster_$(sed -nE 's/^project\(muster VERSION ([^ ]+).*/\1/p' CMakeLists.txt)_$(dpkg --print-architecture).deb
scratch=$(mktemp -d)
trap 'end_machine; rm -rf "$scratch"' EXIT
tree=$scratch/tree
if [[ $1 != pack ]]; then
    dpkg-deb --extract "$package" "$tree"
fi
"$1"
