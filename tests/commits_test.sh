#!/usr/bin/env bash
# Goal: scripts/lint --commits names each commit whose message breaks a rule, and no other.
# Method: commits that break one rule each, in a new repository, beside right ones.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib/commits.sh"

if ! command -v git >/dev/null; then
    echo "SKIPPED: there is no git here"
    exit 77
fi

repository=$(mktemp -d)
trap 'rm -rf "$repository"' EXIT
cd "$repository"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@localhost GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@localhost
git init --quiet --initial-branch=main

# commit LINES MESSAGE: changes a file of its own.
commit() {
    files=$((files + 1))
    seq "$1" >"file-$files"
    git add .
    git commit --quiet --message "$2"
}

files=0
body=$'\n\nIt was wrong, and this way is the best of three, as a test shows.'
at_most=$(printf 'sim: %067d' 0 | tr 0 a)
commit 20 "Before the rules"
git tag before
commit 20 "sim: report unplaced instances$body"
commit 20 "sim, docs: report unplaced instances$body"
commit 9 "docs: correct a word"
commit 20 "$at_most$body"
commit 20 "${at_most}a$body"
commit 20 "Sim: report an upper case$body"
commit 20 "sim: Report an upper case$body"
commit 20 "report no area$body"
commit 20 "sim:report no space$body"
commit 10 $'sim: report too little\n\nThese are ten words and no more than that.\nTen.'
git checkout --quiet -b side before
commit 20 "side: report on a branch$body"
git checkout --quiet main
git merge --quiet --no-edit --message "Merge a branch" side

named=$(check_commits before | cut -d ' ' -f 2-) && { echo "no commit is bad: $named"; exit 1; }
form='   the subject is not `area: verb ...` in lower case, such as `sim: report unplaced instances`'
expected="${at_most}a
   the subject has 73 columns; at most 72 are right: move the details to the body
Sim: report an upper case
$form
sim: Report an upper case
$form
report no area
$form
sim:report no space
$form
sim: report too little
   the body has 10 words for 10 changed lines; say in more than ten what was wrong and why this way
that break a rule: 6; change them by \`git rebase --interactive\` before others have them."
diff <(echo "$expected") <(echo "$named")

git checkout --quiet --detach before
commit 20 "sim: report unplaced instances$body"
check_commits before
