# Sourced by the scripts, from the root of the tree.
#
#   help_if_asked WORD...   ends the script with the comment at its head if a word is --help or -h
#   refuse TEXT             ends the script as one that was called wrongly

help_if_asked() {
    local word
    for word in "$@"; do
        if [[ $word == --help || $word == -h ]]; then
            sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "scripts/${0##*/}"
            exit 0
        fi
    done
}

refuse() {
    echo "scripts/${0##*/}: $1" >&2
    exit 2
}
