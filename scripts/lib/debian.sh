# Sourced by scripts/soak: this tree in bare Debians, in build/debian. Needs root and mmdebstrap.
#
#   debian_begin SUITE            makes a bare base system with git and mount, and a clean clone in it
#   in_debian SUITE COMMAND...    runs a command in that clone, in a process space of its own

debian_begin() {
    local root=build/debian/$1
    rm -rf "$root"
    mkdir -p "$root"
    mmdebstrap --variant=apt --include=git,mount "$1" "$root"
    git clone --quiet . "$root/root/muster"
}

# The base system is the root of a mount namespace, and not of a chroot, where no user can make a
# namespace. All mounts and processes end with the command.
in_debian() {
    local root=$PWD/build/debian/$1
    shift
    unshare --mount --pid --fork --kill-child bash -ec '
        mount --bind "$0" "$0"
        cd "$0"
        mount -t proc proc proc
        mount --rbind /dev dev
        mount --rbind /sys sys
        pivot_root . mnt
        umount --lazy mnt
        cd /root/muster
        exec env --ignore-environment PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"
    ' "$root" "$@" </dev/null
}
