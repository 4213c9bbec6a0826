# Sourced by the scripts that run tests with real processes. A test that failed while the machine kept
# threads waiting has a line INCONCLUSIVE in its output (tests/integration/support/inconclusive.cpp).
# Such a test runs again, alone, once; a second failure counts.
#
#   inconclusive_in LOG     prints `NUMBER NAME` for each such test in the output of ctest
#   measured_pace BIN N     prints the pace of this machine in ms, while N processes measure it at once

inconclusive_in() {
    awk '
        match($0, / Test +#[0-9]+: /) {
            name = ""
            if ($0 ~ /\*\*\*/) {
                name = substr($0, RSTART + RLENGTH)
                sub(/ ?\.+ *\*\*\*.*$/, "", name)
                number = substr($0, RSTART, RLENGTH)
                gsub(/[^0-9]/, "", number)
            }
        }
        /^INCONCLUSIVE: / && name != "" { print number, name; name = "" }
    ' "$1"
}

measured_pace() {
    local at
    for ((at = 0; at < $2; ++at)); do
        "$1/measure-pace" &
    done | sort --numeric-sort | tail -n 1
}
