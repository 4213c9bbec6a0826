# Sourced by scripts/demo for --ha: three members of etcd, three coordinators with endpoints of their
# own and the same keys, and agents that know all three.

coordinators=(c1 c2 c3)
members=(e1 e2 e3)
etcd_ports=(7791 7792 7793)
peer_ports=(7794 7795 7796)
declare -A etcd_pids=()
declare -A coordinator_addresses=()
writer_pid=

check_ha() {
    [[ $network == no ]] || fail "--ha and --network exclude each other."
    command -v etcd >/dev/null || fail "--ha needs etcd, and it is not installed: apt install etcd-server."
}

# The coordinators have neighbouring addresses of loopback, and the same ports.
address_coordinators() {
    local name number=${address##*.} operators=
    for name in "${coordinators[@]}"; do
        coordinator_addresses[$name]=${address%.*}.$((number++ & 255))
        operators+=,tcp://${coordinator_addresses[$name]}:${ports[1]}
    done
    export MUSTER_COORDINATOR=${operators#,}
    ports+=("${etcd_ports[@]}" "${peer_ports[@]}")
}

list_of_coordinators() {
    echo "${coordinator_addresses[c1]},${coordinator_addresses[c2]},${coordinator_addresses[c3]}"
}

prepare_ha() {
    local name port endpoints=
    for port in "${etcd_ports[@]}"; do
        endpoints+=", \"$address:$port\""
    done
    cat >>"$home/coordinator.toml" <<END
[endpoints]
advertise = "$(list_of_coordinators)"
[etcd]
endpoints = [${endpoints#, }]
prefix = "/muster/demo"
lease = "2s"
END
    for name in "${coordinators[@]}"; do
        mkdir -m 0700 "$home/$name" "$home/$name/coordinator"
    done
}

start_etcd() {
    local at all=
    for at in "${!members[@]}"; do
        all+=,${members[$at]}=http://$address:${peer_ports[$at]}
    done
    for at in "${!members[@]}"; do
        etcd --name "${members[$at]}" --data-dir "$home/${members[$at]}" \
            --listen-client-urls "http://$address:${etcd_ports[$at]}" \
            --advertise-client-urls "http://$address:${etcd_ports[$at]}" \
            --listen-peer-urls "http://$address:${peer_ports[$at]}" \
            --initial-advertise-peer-urls "http://$address:${peer_ports[$at]}" \
            --initial-cluster "${all#,}" </dev/null >>"$home/${members[$at]}.log" 2>&1 &
        etcd_pids[${members[$at]}]=$!
    done
}

start_one_of_three() {
    local name=$1 at=${coordinator_addresses[$1]}
    "$bin/muster-coordinator" --config "$home/coordinator.toml" \
        --state-dir "$home/$name" --run-dir "$run_dir/$name" \
        --agents "tcp://$at:${ports[0]}" --operators "tcp://$at:${ports[1]}" \
        --events "tcp://$at:${ports[2]}" --http "tcp://$at:${ports[3]}" --enrolment "tcp://$at:${ports[4]}" \
        </dev/null >>"$home/$name.log" 2>&1 &
    coordinator_pids[$name]=$!
}

# The coordinator whose leadership has the epoch that `muster status` shows.
leader() {
    local epoch name
    epoch=$(said status | sed -n 's/.*"epoch":\([0-9]*\).*/\1/p')
    for name in "${!coordinator_pids[@]}"; do
        if [[ -n $epoch ]] && grep -q "leading .*epoch=$epoch\b" "$home/$name.log"; then
            echo "$name"
        fi
    done
}

some_lead() {
    [[ -n $(leader) ]]
}

# The first process of each instance, which leads a process group; a child of it may come and go.
first_processes() {
    local pid rest group
    while read -r pid rest; do
        read -r _ _ _ _ group _ <"/proc/$pid/stat" || continue
        [[ $group != "$pid" ]] || echo "$pid $rest"
    done 2>/dev/null < <(task_processes) | sort
}

# Adds tasks without instances, one after the other, and notes each one that was acknowledged.
write_changes() {
    local number=0
    while true; do
        number=$((number + 1))
        if "$bin/muster" task add "change-$number" --instances 0 -- /bin/true >/dev/null 2>&1; then
            echo "change-$number" >>"$home/acknowledged"
        fi
    done
}

acknowledged() {
    [[ ! -e $home/acknowledged ]] || sed -n '$=' "$home/acknowledged"
}

more_acknowledged_than() {
    (($(acknowledged) + 0 > $1))
}

# The acknowledged changes that the cluster does not know.
lost_changes() {
    local change known
    known=$(said task list)
    while read -r change; do
        [[ $known == *"\"name\":\"$change\""* ]] || echo "$change"
    done <"$home/acknowledged"
}

end_writer() {
    if [[ -n $writer_pid ]]; then
        kill "$writer_pid" 2>/dev/null || true
        wait "$writer_pid" 2>/dev/null || true
        writer_pid=
    fi
}

clean_up_ha() {
    local name
    end_writer
    for name in "${!etcd_pids[@]}"; do
        kill -KILL "${etcd_pids[$name]}" 2>/dev/null || true
        wait "${etcd_pids[$name]}" 2>/dev/null || true
    done
}

show_three_coordinators() {
    local name file
    say "Three members of etcd, and three coordinators with the same keys"
    start_etcd
    show muster init --state-dir "$home/c1"
    for name in c2 c3; do
        cp -p "$home"/c1/coordinator/{coordinator.key,cluster.key,admin.pub} "$home/$name/coordinator/"
    done
    for name in "${coordinators[@]}"; do
        start_one_of_three "$name"
    done
    until_true "a coordinator leads" 30 some_lead
    echo "$(leader) leads, and the others stand by."
    for name in "${nodes[@]}"; do
        join "$name"
        start_agent "$name"
    done
    for name in "${nodes[@]}"; do
        until_true "$name serves" 20 node_is "$name" healthy
        for file in "${coordinator_addresses[@]}"; do
            grep -q "$file:${ports[0]}" "$home/state/agents/$name/cluster" \
                || fail "$name did not learn of the coordinator at $file when it joined."
        done
    done
    echo "observed: each agent learned all three coordinators from its token"
    show muster apply -f "$examples/hello.toml"
    show muster wait '*' --timeout 30s
    until_true "the kernel knows clock.0, hello.0 and hello.1" 10 run_once_each "clock.0 hello.0 hello.1"
    show muster status
}

show_take_over() {
    local old before after count
    old=$(leader)
    before=$(first_processes)
    write_changes &
    writer_pid=$!
    until_true "an operator makes changes, one after the other" 20 more_acknowledged_than 5
    say "The leader $old and the member e1 of etcd are killed with -9"
    kill -KILL "${coordinator_pids[$old]}" "${etcd_pids[e1]}"
    wait "${coordinator_pids[$old]}" "${etcd_pids[e1]}" 2>/dev/null || true
    unset "coordinator_pids[$old]" "etcd_pids[e1]"
    until_true "another coordinator leads" 30 some_lead
    echo "$(leader) leads now."
    count=$(acknowledged)
    until_true "changes are acknowledged again" 30 more_acknowledged_than "$((count + 3))"
    end_writer
    until_true "all three nodes serve" 30 status_has '"serving":3'
    until_true "the cluster is converged" 30 status_has '"converged":true'
    after=$(first_processes)
    [[ -n $before && $before == "$after" ]] || fail "tasks restarted: before '$before', after '$after'."
    echo "observed: no task restarted; these are the same processes as before: PID INSTANCE NODE"
    echo "$after"
    [[ -z $(lost_changes) ]] || fail "acknowledged changes were lost: $(lost_changes)"
    echo "observed: none of the $(acknowledged) acknowledged changes was lost"

    say "$old is started again: it stands by"
    start_one_of_three "$old"
    until_true "$old stands by" 20 grep -q 'standing by' "$home/$old.log"
    show muster node list
}
