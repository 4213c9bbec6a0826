# Sourced by the scripts: a stage is one step of work with one line on the screen.
#
#   stage TITLE LOG COMMAND...   runs COMMAND with its output in build/log/LOG.log and prints its
#                                duration; returns COMMAND's status
#
# On a terminal the line counts the seconds and shows the newest line of the log. Otherwise it prints
# a line at the end of a stage, and one every half a minute to show that a long one is alive.

log_dir=build/log
ticker_pid=

stop_ticker() {
    if [[ -n $ticker_pid ]]; then
        kill "$ticker_pid" 2>/dev/null || true
        wait "$ticker_pid" 2>/dev/null || true
        ticker_pid=
        if [[ -t 1 ]]; then
            printf '\r\033[K'
        fi
    fi
}

# The COMMAND of a stage runs in the foreground, so that Ctrl-C reaches it. A background process draws
# the line, and ends with the script in any case.
tick() {
    local title=$1 log=$2 start=$SECONDS width newest idle
    # A read from a pipe without a writer is a pause without a sleep process that could outlive us.
    exec {idle}<> <(:)
    while kill -0 $$ 2>/dev/null; do
        read -r -t 1 -u "$idle" || true
        newest=$(tail -c 400 "$log" 2>/dev/null | tr '\r' '\n' | tail -n 1 | tr -cd '[:print:]')
        if [[ -t 1 ]]; then
            width=$((${COLUMNS:-80} - ${#title} - 12))
            printf '\r\033[K%s %4d s  %s' "$title" $((SECONDS - start)) "${newest:0:width > 0 ? width : 0}"
        elif (((SECONDS - start) % 30 == 0)); then
            printf '%s ... %d s  %s\n' "$title" $((SECONDS - start)) "${newest:0:60}"
        fi
    done
}

stage() {
    local title=$1 log=$log_dir/$2.log start=$SECONDS status=0
    shift 2
    mkdir -p "$log_dir"
    : >"$log"
    tick "$title" "$log" &
    ticker_pid=$!
    "$@" >>"$log" 2>&1 || status=$?
    stop_ticker
    if ((status == 0)); then
        printf '%s: %d s\n' "$title" $((SECONDS - start))
    else
        printf '%s: failed after %d s, see %s\n' "$title" $((SECONDS - start)) "$log"
    fi
    return "$status"
}

trap stop_ticker EXIT
