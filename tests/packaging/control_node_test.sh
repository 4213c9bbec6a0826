#!/usr/bin/env bash
# Runs as root in the machine of machine.sh: follows docs/operations/three-control-nodes.md with its own
# commands and files. Each control node is a network namespace with the address that the page gives it.
# The coordinator of the first one runs under systemd, those of the others as plain processes.
set -euo pipefail

[[ -e /run/machine ]] || { echo "this is for a machine of a test's own, not for this host" >&2; exit 1; }

fail() {
    {
        echo "$1"
        tail -n 8 /run/muster-*.log /run/etcd-c*.log || true
        systemctl --no-pager --lines=0 status muster-coordinator || true
    } >&2
    exit 1
}

until_true() {
    local what=$1 deadline=$((SECONDS + 30)) idle
    shift
    exec {idle}<> <(:)
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || fail "not within 30 s: $what"
        read -r -t 0.1 -u "$idle" || true
    done
    exec {idle}>&-
}

dpkg --no-triggers --force-depends --install /root/muster_*.deb /root/muster-etcd_*.deb >/run/dpkg.log 2>&1 \
    || fail "dpkg: $(cat /run/dpkg.log)"
page=/usr/share/doc/muster/docs/operations/three-control-nodes.md

# The block of the page that has this line.
block() {
    awk -v line="$1" '/^    / { text = text substr($0, 5) "\n"; if (index($0, line)) found = 1; next }
        found { exit } { text = "" } END { printf "%s", text }' "$page"
}

on() {
    ip netns exec "$@"
}

# Three hosts at one switch.
ip netns add c1
ip -n c1 link add switch type bridge
ip -n c1 link set switch up
ip -n c1 link set lo up
ip -n c1 address add 10.0.0.1/24 dev switch
for name in c2 c3; do
    ip netns add "$name"
    ip -n c1 link add "$name" type veth peer name uplink netns "$name"
    ip -n c1 link set "$name" master switch up
    ip -n "$name" address add "10.0.0.${name#c}/24" dev uplink
    ip -n "$name" link set uplink up
    ip -n "$name" link set lo up
done

# 1. Certificates for etcd.
mkdir -p /root/authority /etc/etcd
cd /root/authority
block 'CN=etcd-authority' >certificates
[[ $(grep -c openssl certificates) == 5 ]] || fail "the page does not say how to make certificates: $(cat certificates)"
for number in 2 3; do
    sed -n 2,4p certificates | sed "s/c1/c$number/g; s/10\.0\.0\.1/10.0.0.$number/" >>of-others
done
cat of-others >>certificates
bash -e certificates >log 2>&1 || fail "openssl: $(cat log)"
install -m 600 ca.pem /etc/muster/etcd-ca.pem
install -m 600 muster.pem /etc/muster/etcd.pem
install -m 600 muster.key /etc/muster/etcd.key

# 2. etcd.
for number in 1 2 3; do
    (
        set -a
        block ETCD_NAME | sed "s/^\(ETCD_NAME=\)c1/\1c$number/; /_URLS=/s/10\.0\.0\.1:/10.0.0.$number:/
            s|/etc/etcd/server|/root/authority/c$number|; s|/etc/etcd/ca|/root/authority/ca|" >"etcd$number"
        # shellcheck disable=SC1090
        source "./etcd$number"
        exec ip netns exec "c$number" etcd --data-dir "/root/etcd$number" >"/run/etcd-c$number.log" 2>&1
    ) &
    etcds[number]=$!
done
eval "$(block 'export ETCDCTL_API' | grep ^export)"
until_true "three members are healthy" on c1 etcdctl endpoint health
[[ $(on c1 etcdctl member list | wc -l) == 3 ]] || fail "etcd has other members: $(on c1 etcdctl member list)"

# 3. The coordinator.
mkdir -p /etc/systemd/system/muster-coordinator.service.d /run/systemd/system/muster-coordinator.service.d
block 'LoadCredential=etcd.key' >/etc/systemd/system/muster-coordinator.service.d/etcd.conf
printf '[Service]\nStandardError=append:/run/muster-coordinator.log\nNetworkNamespacePath=/run/netns/c1\n' >/run/systemd/system/muster-coordinator.service.d/log.conf
block 'prefix = "/muster/prod"' >/etc/muster/coordinator.toml
export HOME=/root
eval "$(block 'muster init --state-dir')" >/run/init.log 2>&1 || fail "init: $(cat /run/init.log)"
eval "$(block 'systemctl enable --now muster-coordinator')" 2>/run/enable.log || fail "the coordinator does not start"
until_true "the coordinator leads" on c1 muster ping

for number in 2 3; do
    mkdir -m 700 "/var/lib/c$number" "/var/lib/c$number/coordinator"
    cp -p /var/lib/muster-coordinator/coordinator/{coordinator.key,cluster.key,admin.pub} "/var/lib/c$number/coordinator"
    sed "/tcp:/s/10\.0\.0\.1/10.0.0.$number/; s|/run/credentials/muster-coordinator.service|/etc/muster|" \
        /etc/muster/coordinator.toml >"/etc/muster/c$number.toml"
    on "c$number" muster-coordinator --config "/etc/muster/c$number.toml" --state-dir "/var/lib/c$number" \
        --run-dir "/run/c$number" 2>"/run/muster-c$number.log" &
done
for number in 2 3; do
    until_true "c$number stands by" grep 'standing by' "/run/muster-c$number.log"
done

# 4. An agent: its token names all coordinators.
read -r -a join < <(on c1 muster token create --node web-7)
on c2 "${join[@]}" --only-join --name web-7 >/run/join.log 2>&1 || fail "join: $(cat /run/join.log)"
grep -q 'tcp://10.0.0.1:7700,tcp://10.0.0.2:7700,tcp://10.0.0.3:7700' /var/lib/muster/agents/web-7/cluster \
    || fail "the agent does not know all coordinators: $(cat /var/lib/muster/agents/web-7/cluster)"

# One name may stand for all coordinators: an agent and the command go on to whoever leads.
mkdir -p /etc/netns/c2
touch /etc/hosts # A bare system has none, and `ip netns` needs one to put that of the host over it.
printf '10.0.0.%s control.example\n' 3 2 1 >/etc/netns/c2/hosts
on c2 muster-agent --name web-7 --coordinator tcp://control.example:7700 2>/run/muster-agent.log &
serves() {
    [[ $(on c2 muster -c tcp://control.example:7701 status -o json) == *'"serving":1,'* ]]
}
until_true "the agent finds the leader by a name" serves

# A member of etcd is not missed, and the maintenance of the leader neither.
kill -KILL "${etcds[2]}"
on c1 muster task add web --instances 0 -- /bin/true >/dev/null || fail "a change fails without one member of etcd"
[[ $(on c1 etcdctl get --prefix /muster/prod/rows/tasks/web) == *web* ]] || fail "the change is not in etcd"
systemctl stop muster-coordinator
until_true "another coordinator knows the change" on c1 muster task show web
[[ $(on c1 muster status -o json) == *'"epoch":2,'* ]] || fail "the next one does not lead in epoch 2"
until_true "the agent finds the next leader by the name" serves
