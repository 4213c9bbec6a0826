#!/usr/bin/env bash
# A cluster whose daemons were built on two releases of Debian, and its upgrade from one to the other.
# For scripts/soak debian.
#
#   mixed_debian.sh FROM TO      two base systems, each with muster's package installed
#
# A coordinator and an agent of FROM run beside an agent of TO. Then programs of TO take the place of
# those of FROM, on their stores and journals. No task may restart. Needs root.
set -euo pipefail

if [[ ${MIXED_INSIDE:-} != yes ]]; then
    MIXED_INSIDE=yes exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$@"
fi

from=$1
to=$2
port=7900
files=$(mktemp -d)
lives=0
declare -A pids=()

fail() {
    echo "mixed_debian.sh: $1" >&2
    tail -n 20 "$files"/*.log >&2
    exit 1
}

clean_up() {
    rm -rf "$files"
}
trap clean_up EXIT

# Both base systems see the cluster's files at the same place.
for root in "$from" "$to"; do
    mkdir -p "$root/srv/mixed"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --bind "$files" "$root/srv/mixed"
done

# Followed by a base system and a command there. In the background its process is that of the command.
on=(env --ignore-environment PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root XDG_CONFIG_HOME=/srv/mixed/config
    MUSTER_COORDINATOR="tcp://127.0.0.1:$((port + 1))" chroot)

# Waits until a command succeeds.
until_true() {
    local what=$1 deadline=$((SECONDS + 60)) idle
    shift
    exec {idle}<> <(:)
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || fail "not observed: $what"
        read -r -t 0.1 -u "$idle" || true
    done
    exec {idle}>&-
    echo "observed: $what"
}

start_coordinator() {
    "${on[@]}" "$1" muster-coordinator --state-dir /srv/mixed/state --run-dir /srv/mixed/run \
        --agents "tcp://127.0.0.1:$port" --operators "tcp://127.0.0.1:$((port + 1))" \
        --events "tcp://127.0.0.1:$((port + 2))" --http "tcp://127.0.0.1:$((port + 3))" \
        --enrolment "tcp://127.0.0.1:$((port + 4))" >>"$files/coordinator.log" 2>&1 </dev/null &
    pids[coordinator]=$!
}

join() {
    local -a command
    read -r -a command < <("${on[@]}" "$from" muster token create --node "$2")
    "${on[@]}" "$1" "${command[@]}" --only-join --name "$2" --state-dir /srv/mixed/state \
        --run-dir /srv/mixed/run >>"$files/$2.log" 2>&1 || fail "$2 did not join"
}

# Returns when the coordinator knows this life of the agent, which has adopted so many instances.
start_agent() {
    local log=$files/$2.$((++lives)).log
    "${on[@]}" "$1" muster-agent --name "$2" --state-dir /srv/mixed/state --run-dir /srv/mixed/run \
        >>"$log" 2>&1 </dev/null &
    pids[$2]=$!
    until_true "agent $2 adopts $3 instances" grep --quiet "adopted=$3 " "$log"
    until_true "agent $2 is welcome" grep --quiet welcomed "$log"
}

end_daemon() {
    kill -TERM "${pids[$1]}"
    wait "${pids[$1]}" || fail "$1 did not end with 0"
}

# `PID INSTANCE` of each process of a task.
running() {
    local process instance
    for process in /proc/[0-9]*; do
        instance=$(tr '\0' '\n' <"$process/environ" 2>/dev/null | sed -n 's/^MUSTER_INSTANCE=//p') || true
        [[ -z $instance ]] || echo "${process#/proc/} $instance"
    done | sort
}

serves() {
    local status
    status=$("${on[@]}" "$from" muster status -o json | tr -d ' \n')
    [[ $status == *'"serving":2,'* && $status == *'"converged":true'* ]]
}

unchanged() {
    local now
    until_true "$1: both nodes serve and all is converged" serves
    now=$(running)
    [[ $now == "$before" ]] || fail "$1: '$before' ran before, and now '$now'"
    echo "observed: $1: every process is the same"
}

"${on[@]}" "$from" muster init --state-dir /srv/mixed/state >/dev/null
start_coordinator "$from"
until_true "the coordinator answers" "${on[@]}" "$from" muster ping
join "$from" a
join "$to" b
start_agent "$from" a 0
start_agent "$to" b 0
"${on[@]}" "$from" muster task add web -n 4 --max-per-node 2 -- /bin/sleep 100000
"${on[@]}" "$to" muster wait web --timeout 60s
before=$(running)
[[ $(wc -l <<<"$before") == 4 ]] || fail "four processes must run, and not '$before'"

end_daemon coordinator
start_coordinator "$to"
unchanged "a coordinator of the other release has the store"
end_daemon a
start_agent "$to" a 2
unchanged "an agent of the other release has the journal"
end_daemon b
start_agent "$from" b 2
unchanged "an agent of the first release has the journal of the other"
"${on[@]}" "$to" muster task scale web 2
until_true "two processes are left" eval '[[ $(running | wc -l) == 2 ]]'
"${on[@]}" "$to" muster task remove web --yes
until_true "no process is left" eval '[[ -z $(running) ]]'
