# Sourced by scripts/lint: the rules of CONTRIBUTING.md for the messages of commits.
#
#   check_commits FROM   names each later commit of the current branch that breaks a rule; fails if any does

# What is wrong with one commit, a line each.
commit_faults() {
    local subject=$1 words=$2 changed=$3
    local area='[a-z][a-z0-9_./-]*'
    local form="^$area(,? $area)*: [a-z][a-z-]*( |\$)"
    if ((${#subject} > 72)); then
        echo "the subject has ${#subject} columns; at most 72 are right: move the details to the body"
    fi
    if [[ ! $subject =~ $form ]]; then
        echo "the subject is not \`area: verb ...\` in lower case, such as \`sim: report unplaced instances\`"
    fi
    if ((changed >= 10 && words <= 10)); then
        echo "the body has $words words for $changed changed lines; say in more than ten what was wrong and why this way"
    fi
}

# The lines that the commit removes and adds.
changed_lines() {
    git show --format= --numstat "$1" | awk '{ lines += $1 + $2 } END { print lines + 0 }'
}

check_commits() {
    local from=$1 hash subject words faults bad=0
    while read -r hash subject; do
        words=$(git show --no-patch --format=%b "$hash" | wc --words)
        faults=$(commit_faults "$subject" "$words" "$(changed_lines "$hash")")
        if [[ -n $faults ]]; then
            bad=$((bad + 1))
            printf '%s %s\n' "$hash" "$subject"
            sed 's/^/    /' <<<"$faults"
        fi
    done < <(git log --no-merges --reverse --abbrev=8 --format='%h %s' "$from..HEAD")
    if ((bad > 0)); then
        echo "Commits that break a rule: $bad; change them by \`git rebase --interactive\` before others have them."
        return 1
    fi
}
