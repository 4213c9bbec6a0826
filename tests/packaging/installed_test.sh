#!/usr/bin/env bash
# Runs as root in the machine of machine.sh: installs the package, upgrades, removes and purges it,
# and checks the state of systemd's units. installed_test.sh ADDRESS: the machine shares the host's
# network, so the cluster listens at an address that no other program uses.
set -euo pipefail

[[ -e /run/machine ]] || { echo "this is for a machine of a test's own, not for this host" >&2; exit 1; }
address=$1
export MUSTER_COORDINATOR=tcp://$address:7701

fail() {
    # The cause first, because the middle of a long output may be cut.
    {
        echo "$1"
        muster node list || true
        muster node show n1 || true
        tail -n 8 /run/muster-*.log || true
        systemctl --no-pager --lines=0 status muster-coordinator muster-agent || true
    } >&2
    exit 1
}

until_true() {
    local what=$1 deadline=$((SECONDS + 30)) idle
    shift
    exec {idle}<> <(:)
    until "$@"; do
        ((SECONDS < deadline)) || fail "not within 30 s: $what"
        read -r -t 0.1 -u "$idle" || true
    done
    exec {idle}>&-
}

main_process() {
    systemctl show --property MainPID --value "$1"
}

process_is() {
    [[ -e /proc/$1 ]]
}

process_is_gone() {
    ! process_is "$1"
}

# A setting of a unit for this test only.
set_in_unit() {
    mkdir -p "/run/systemd/system/$1.service.d"
    printf '[Service]\n%s\n' "$2" >"/run/systemd/system/$1.service.d/${2%%=*}.conf"
    systemctl daemon-reload
}

install_package() {
    dpkg --no-triggers --install /root/muster_*.deb >/run/dpkg.log 2>&1 || fail "dpkg: $(cat /run/dpkg.log)"
}

# An installation starts nothing, and an enabled daemon is ready when systemctl returns.
install_package
for unit in muster-coordinator muster-agent; do
    [[ $(systemctl is-enabled $unit) == disabled ]] || fail "$unit was enabled by the installation"
    [[ $(systemctl is-active $unit) == inactive ]] || fail "$unit was started by the installation"
    set_in_unit $unit "StandardError=append:/run/$unit.log"
done
cat >>/etc/muster/coordinator.toml <<END
[endpoints]
agents = "tcp://$address:7700"
operators = "tcp://$address:7701"
events = "tcp://$address:7702"
http = "tcp://$address:7780"
END
echo 'name = "n1"' >>/etc/muster/agent.toml

# The first steps as the documentation has them: keys, the coordinator, a token, the agent.
muster init --state-dir /var/lib/muster-coordinator >/run/init.log 2>&1 || fail "init: $(cat /run/init.log)"
systemctl enable --now muster-coordinator 2>/run/enable.log || fail "the coordinator does not start"
read -r -a join < <(muster token create --node n1)
"${join[@]}" --only-join >/run/join.log 2>&1 || fail "join: $(cat /run/join.log)"
systemctl enable --now muster-agent 2>/run/enable.log || fail "the agent does not start"
muster ping >/dev/null || fail "a coordinator that is ready does not answer"
muster task add web -- /bin/sleep 1000 >/dev/null
muster wait web >/dev/null || fail "a task does not run"

# The coordinator's sandbox holds: no root, no capability, no way to either, filtered system calls.
for line in 'CapEff:	0000000000000000' 'NoNewPrivs:	1' 'Seccomp:	2'; do
    grep -q "^$line" "/proc/$(main_process muster-coordinator)/status" || fail "the coordinator lacks '$line'"
done
! grep -q '^Uid:.*\b0\b' "/proc/$(main_process muster-coordinator)/status" || fail "the coordinator is root"

# An upgrade, here to the same version, restarts running daemons and no task, keeps the
# configuration and starts nothing else.
task=$(pidof sleep)
coordinator=$(main_process muster-coordinator)
agent=$(main_process muster-agent)
systemctl stop muster-coordinator
install_package
[[ $(systemctl is-active muster-coordinator) == inactive ]] || fail "an upgrade starts what was stopped"
[[ $(main_process muster-agent) != "$agent" ]] || fail "an upgrade does not restart the agent"
systemctl start muster-coordinator
[[ $(main_process muster-coordinator) != "$coordinator" ]]
muster wait web >/dev/null || fail "the task does not run after the upgrade"
[[ $(pidof sleep) == "$task" ]] || fail "an upgrade replaces a task's process"
[[ $(muster task show web -o json) == *'"restarts":0,'* ]] || fail "an upgrade restarts a task"

# A coordinator that hangs is killed and restarted.
set_in_unit muster-coordinator WatchdogSec=1s
systemctl restart muster-coordinator
coordinator=$(main_process muster-coordinator)
kill -STOP "$coordinator"
until_true "systemd ends a coordinator that stands still" process_is_gone "$coordinator"
until_true "the coordinator is back" systemctl is-active --quiet muster-coordinator
muster wait web >/dev/null || fail "the task does not run after the watchdog"

# Changes of the agent or of its package do not affect tasks; only a purge does.
set_in_unit muster-agent Restart=no
[[ $(pidof sleep) == "$task" ]] || fail "a task's process was replaced"
agent=$(main_process muster-agent)
systemctl kill --kill-whom=main --signal=KILL muster-agent
until_true "the agent is killed" process_is_gone "$agent"
systemctl stop muster-agent
process_is "$task" || fail "a task ended with its agent"
dpkg --no-triggers --remove muster >/run/dpkg.log 2>&1 || fail "dpkg: $(cat /run/dpkg.log)"
process_is "$task" || fail "a task ended with the package"
[[ $(systemctl is-active muster-coordinator) != active ]] || fail "the coordinator runs without its package"
[[ -f /etc/muster/agent.toml && -d /var/lib/muster ]] || fail "a removal that is no purge forgets"
dpkg --no-triggers --purge muster >/run/dpkg.log 2>&1 || fail "dpkg: $(cat /run/dpkg.log)"
until_true "a purge ends the tasks" process_is_gone "$task"
left=$(ls -d /etc/muster /var/lib/muster* /var/lib/private/muster* /run/muster /run/muster-coordinator /run/muster-secrets \
    /etc/systemd/system/*/muster* 2>/dev/null || true)
[[ -z $left ]] || fail "a purge leaves: $left"
