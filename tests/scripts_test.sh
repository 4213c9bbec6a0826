#!/usr/bin/env bash
# Each script explains itself with --help, from any directory, and refuses what it does not know before
# it does anything.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd /
failed=0

fail() {
    echo "scripts/$name: $1"
    failed=1
}

for script in "$root"/scripts/*; do
    [[ -f $script ]] || continue
    name=${script##*/}
    status=0
    text=$("$script" --help 2>&1) || status=$?
    ((status == 0)) || fail "--help ends with $status"
    [[ $text == [A-Z]* && $text == *"./scripts/"* ]] || fail "--help prints: $text"
    status=0
    text=$("$script" --unknown 2>&1 >/dev/null) || status=$?
    ((status == 2)) || fail "--unknown ends with $status"
    [[ $text == "scripts/$name: "*"'"*"--unknown"*"'"* ]] || fail "--unknown prints: $text"
done
exit "$failed"
