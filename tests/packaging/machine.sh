# Sourced: a separate machine for a test, with this host's files and a systemd that runs only what
# the test installs. It consists of namespaces and an overlay in memory, so it does not change the
# host, and it ends with its first process.
#
#   start_machine             skips the test where such a thing cannot be made
#   in_machine 'COMMANDS'     runs them there, as root
#   end_machine

machine_process=
machine_group=

# Runs between the start of the namespaces and systemd, with the machine's directory and files.
become_machine='
set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" overlay "$1/root"
cp "${@:2}" "$1/root/root"
cd "$1/root"

# Nothing of the host is started: all units and unit generators are removed.
rm -rf lib/systemd/system lib/systemd/system-generators etc/systemd/system
rm -f usr/sbin/policy-rc.d  # With which an image forbids packages to start anything.
mkdir -p lib/systemd/system etc/systemd/system
for target in sysinit basic shutdown multi-user; do
    printf "[Unit]\nDescription=%s\nDefaultDependencies=no\n" "$target" >"lib/systemd/system/$target.target"
done
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs tmpfs run
touch run/machine  # It shows that this is not the host.
mount -t tmpfs tmpfs tmp
mount -t tmpfs tmpfs dev
mkdir dev/pts dev/shm dev/mqueue
mknod -m 666 dev/null c 1 3; mknod -m 666 dev/zero c 1 5; mknod -m 666 dev/full c 1 7
mknod -m 666 dev/random c 1 8; mknod -m 666 dev/urandom c 1 9
mknod -m 666 dev/tty c 5 0; mknod -m 666 dev/ptmx c 5 2

mkdir -p mnt/host
pivot_root . mnt/host
umount -l mnt/host
mount --make-rshared /  # As on a host: systemd passes credentials to a unit by a mount.
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd \
    --unit=multi-user.target --log-target=console --show-status=no'

# start_machine DIRECTORY FILE... The files are copied to /root: the host's /tmp and /run are not there.
start_machine() {
    local machine=$1 groups tries
    ((EUID == 0)) || skip "only root can make namespaces and mounts"
    [[ -x /lib/systemd/systemd ]] || skip "there is no systemd on this host; ./scripts/setup --tests installs it"
    groups=$(findmnt --noheadings --first-only --types cgroup2 --output TARGET) || skip "there is no cgroup2 on this host"
    mkdir "$machine"
    machine_group=$groups/muster-test-$$
    mkdir "$machine_group" 2>/dev/null || skip "no control group can be made on this host"
    # The cgroup first: the namespace's root is the cgroup of the process at that moment.
    bash -c 'echo $$ >"$1/cgroup.procs" && exec unshare --pid --fork --kill-child --mount --uts --ipc \
        --cgroup --propagation private bash -c "$2" machine "${@:3}"' \
        machine "$machine_group" "$become_machine" "$@" </dev/null >"$machine.log" 2>&1 &
    machine_process=$!
    for ((tries = 0; tries < 100; ++tries)); do
        if in_machine 'test -e /run/machine && systemctl is-system-running --wait' >/dev/null 2>&1; then
            return
        fi
        kill -0 "$machine_process" 2>/dev/null || break
        wait_a_little
    done
    # As in a container with a restricted root, or in a changed root directory.
    ! grep -qi 'not permitted\|permission denied\|root filesystem propagation' "$machine.log" \
        || skip "no machine can be made on this host: $(tail -n 1 "$machine.log")"
    fail "the machine does not start: $(tail -n 5 "$machine.log")"
}

in_machine() {
    local init= rest
    # The line does not end, so read fails.
    read -r init rest 2>/dev/null <"/proc/$machine_process/task/$machine_process/children" || true
    [[ -n $init ]] || return 1
    nsenter --target "$init" --all env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -c "$1"
}

# Waiting for a pipe without a writer is a pause without a process.
wait_a_little() {
    local idle
    exec {idle}<> <(:)
    read -r -t 0.1 -u "$idle" || true
    exec {idle}>&-
}

end_machine() {
    if [[ -n $machine_process ]]; then
        kill -KILL "$machine_process" 2>/dev/null || true
        wait "$machine_process" 2>/dev/null || true
    fi
    if [[ -n $machine_group ]]; then
        # Its processes end with their namespace; the cgroups must wait for that.
        local tries
        for ((tries = 0; tries < 100; ++tries)); do
            find "$machine_group" -depth -type d -exec rmdir {} + 2>/dev/null && break
            wait_a_little
        done
    fi
}
