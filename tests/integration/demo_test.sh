#!/bin/bash
# Runs a demo with the built programs, where an unpacked package has them: demo_test.sh KIND BIN SOURCE
# The directory is a short one, because the path of a socket has at most 107 bytes.
set -euo pipefail
tree=$(mktemp -d /tmp/demo.XXXXXX)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/usr/share/doc/muster"
ln -s "$2" "$tree/usr/bin"
ln -s "$3/examples" "$tree/usr/share/doc/muster/examples"
"$3/scripts/demo" "--$1" --once --tree "$tree"
