#!/usr/bin/env bash
# Which tests run again, from an output of ctest.
#
#   inconclusive_test.sh ROOT
set -euo pipefail
source "$1/scripts/lib/inconclusive.sh"

found=$(inconclusive_in <(cat <<'END'
        Start   7: tests:a test that passes
  1/5 Test   #7: tests:a test that passes .......................   Passed    2.63 sec
INCONCLUSIVE: printed by a test that is tested
        Start  12: tests:one, with [signs] (and more)
  2/5 Test  #12: tests:one, with [signs] (and more) .............***Failed    8.11 sec
tests/one.cpp:1: FAILED:
INCONCLUSIVE: this machine kept a thread waiting for 40 ms
  3/5 Test #130: tests:another one ..............................***Failed    1.00 sec
tests/another.cpp:1: FAILED:
  4/5 Test #131: tests:one that hangs ...........................***Timeout 300.00 sec
        Start 132: tests:the last one
  5/5 Test #132: tests:the last one .............................***Failed    1.00 sec
INCONCLUSIVE: this machine kept a thread waiting for 50 ms

80% tests passed, 4 tests failed out of 5
END
))
wanted='12 tests:one, with [signs] (and more)
132 tests:the last one'
if [[ $found != "$wanted" ]]; then
    printf 'inconclusive_in found:\n%s\nand not:\n%s\n' "$found" "$wanted"
    exit 1
fi
