#!/bin/bash
# A program of a provider, for tests. The first word says how it behaves and the second one is a
# directory for what it tells the test; the words of the coordinator follow.
how=$1 directory=$2
shift 2

answer() {
    case $1 in
        list) echo '{"nodes": [{"id": "i-1", "node": "web-1", "pool": "web", "request": "7-12"}]}' ;;
        provision) echo "{\"granted\": $2}" ;;
        remove) echo '{}' ;;
        predict) echo '{"amount": 400}' ;;
    esac
}

case $how in
    good)
        cat > "$directory/input"
        echo "$*" > "$directory/arguments"
        answer "$@"
        ;;
    surroundings)
        readlink /proc/$$/fd/* > "$directory/files"
        grep '^Sig\(Blk\|Ign\)' /proc/self/status > "$directory/signals"
        env > "$directory/environment"
        pwd > "$directory/work"
        answer "$@"
        ;;
    refuse)
        echo 'trying zone a' >&2
        printf 'no quota\tin zone a\n\n' >&2
        exit 3
        ;;
    silent) exit 4 ;;
    garbage) echo 'granted 3' ;;
    killed) kill -TERM $$ ;;
    many)
        echo '{"nodes": ['
        seq -f '{"id": "i-%.0f", "pool": "web"},' 3999
        echo '{"id": "last", "pool": "web"}]}'
        ;;
    flood) exec cat /dev/zero ;;
    flood_errors)
        head -c 3000000 /dev/zero | tr '\0' '\n' >&2
        echo 'no quota' >&2
        exit 1
        ;;
    no_input)
        exec <&-
        answer "$@"
        ;;
    no_output)
        exec >&-
        echo started > "$directory/told"
        read -r -u 3 3<> "$directory/go"
        exit 0
        ;;
    # The child has the standard output of its parent.
    leave_child)
        sleep 1000 &
        echo $! > "$directory/told"
        answer "$@"
        ;;
    hang)
        sleep 1000 &
        echo $! > "$directory/told"
        wait
        ;;
    # Says its number, and goes on once it is told to.
    hold)
        exec 3<> "$directory/go"
        echo "$$" > "$directory/told"
        read -r -u 3
        echo "end" > "$directory/told"
        answer "$@"
        ;;
esac
