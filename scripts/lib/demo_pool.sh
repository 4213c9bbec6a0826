# Sourced by scripts/demo for --pool: a pool whose nodes are agents on this host, which the
# coordinator makes and removes by itself, as demand for them comes and goes.

prepare_pool() {
    cat >>"$home/coordinator.toml" <<'END'
[providers.here]
kind = "local-process"
arguments = ["--slots", "10", "--memory", "64MiB"]
END
}

# How many nodes of the pool serve.
members_are() {
    local listed
    listed=$(said pool members web)
    [[ -n $listed && $(grep -o '"node":' <<<"$listed" | wc -l) == "$1" ]]
}

pool_has_no_nodes() {
    [[ $(said pool show web) == *'"nodes":[]'* ]]
}

need() {
    show muster demand set web demo "$1" --ttl 30s
}

# The processes of the pool's nodes, which work in their own directories.
processes_of_pool() {
    local process
    for process in /proc/[0-9]*; do
        if [[ $(readlink "$process/cwd" 2>/dev/null) == "$home"/state/coordinator/pools/* ]]; then
            echo "${process#/proc/}"
        fi
    done
}

no_process_of_pool() {
    [[ -z $(processes_of_pool) ]]
}

agent_of_pool() {
    local pid
    for pid in $(processes_of_pool); do
        if [[ $(readlink "/proc/$pid/exe") == */muster-agent ]]; then
            echo "$pid"
            return
        fi
    done
}

clean_up_pool() {
    local pid
    [[ $pool == yes ]] || return 0
    for pid in $(processes_of_pool); do
        kill -KILL "$pid" 2>/dev/null || true
    done
}

show_pool() {
    local victim before
    say "A coordinator that can make nodes on this host, and a pool without any"
    show muster init --state-dir "$home/state"
    start_coordinator
    until_true "the coordinator answers" 20 said ping
    show muster pool create web --provider here --unit slots --max 8
    show muster pool show web

    say "Somebody needs 25 slots of it, and a node has 10"
    need 25
    until_true "three nodes serve" 30 members_are 3
    show muster pool members web
    show muster explain pool web

    say "One of the nodes dies"
    victim=$(agent_of_pool)
    before=$(requests)
    kill -KILL "$victim"
    until_true "the dead agent is gone" 10 no_process "$victim"
    until_true "another node is asked for" 60 asked_more_often_than "$before"
    until_true "three nodes serve" 60 members_are 3
    show muster pool show web

    say "Less is needed: the emptiest nodes drain, and go"
    need 5
    until_true "one node serves" 60 members_are 1
    need 0
    until_true "the pool has no nodes" 60 pool_has_no_nodes
    until_true "none of their processes is left" 30 no_process_of_pool
    show muster events --since 1m
}

no_process() {
    ! kill -0 "$1" 2>/dev/null
}

requests() {
    said events | grep -o '"pool.requested"' | wc -l
}

asked_more_often_than() {
    (($(requests) > $1))
}
