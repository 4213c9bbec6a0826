# Completion of muster for bash. Made by: muster completion bash

_muster_names() {
    local name rest
    muster "$@" list --timeout 500ms 2>/dev/null | while read -r name rest; do
        [[ $name == no || $name == NODE || $name == TASK ]] || echo "$name"
    done
}

_muster() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local options= words= verb= i
    local -a to=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
            --) return ;;
            -c | --coordinator | --run-dir) to+=("${COMP_WORDS[i]}" "${COMP_WORDS[i + 1]}"); i=$((i + 1)) ;;
            -f | --file | --sign | --fail | --without-task | --add-nodes | --interval | --reason | --deadline | --pool | -n | --instances | -e | --env | --workdir | --restart | --max-per-node | --stop-signal | --grace | --constraint | --cpu | --memory | --slots | --spread | --group | --priority | --reschedule-after | --reconcile | --ttl | --unit | --provider | --predictor | --min | --max | --step | --drain-budget | --node-amount | --arrive-within | --max-drain | --up-cooldown | --down-cooldown | --demand-ttl | --schedule | --zone | --shadow | --match | --since | --events | --node | --config | --state-dir | --to | --uses | --expires | --task | --coordinator-key | -c | --coordinator | --context | -t | --timeout | -o | --output | --run-dir) i=$((i + 1)) ;;
            -*) ;;
            *) verb+=${verb:+ }${COMP_WORDS[i]} ;;
        esac
    done
    case $previous in
        -f | --file) COMPREPLY=($(compgen -f -- "$current")); return ;;
        --sign) COMPREPLY=($(compgen -f -- "$current")); return ;;
        --workdir) COMPREPLY=($(compgen -f -- "$current")); return ;;
        --restart) COMPREPLY=($(compgen -W "always on-failure never" -- "$current")); return ;;
        --reconcile) COMPREPLY=($(compgen -W "original replacement" -- "$current")); return ;;
        --config) COMPREPLY=($(compgen -f -- "$current")); return ;;
        --state-dir) COMPREPLY=($(compgen -f -- "$current")); return ;;
        --to) COMPREPLY=($(compgen -W "etcd sqlite" -- "$current")); return ;;
        -o | --output) COMPREPLY=($(compgen -W "table json" -- "$current")); return ;;
        --run-dir) COMPREPLY=($(compgen -f -- "$current")); return ;;
        --fail | --without-task | --add-nodes | --interval | --reason | --deadline | --pool | -n | --instances | -e | --env | --max-per-node | --stop-signal | --grace | --constraint | --cpu | --memory | --slots | --spread | --group | --priority | --reschedule-after | --ttl | --unit | --provider | --predictor | --min | --max | --step | --drain-budget | --node-amount | --arrive-within | --max-drain | --up-cooldown | --down-cooldown | --demand-ttl | --schedule | --zone | --shadow | --match | --since | --events | --node | --uses | --expires | --task | --coordinator-key | -c | --coordinator | --context | -t | --timeout) return ;;
    esac
    case $verb in
        '') words='apply plan status stats node task group demand pool wait events logs top explain rebalance round store freeze limit token key secret audit init context signer doctor bundle coordinator upgrade log ping help completion version' ;;
        'apply'*) options='--file --replace --yes --force --sign --wait' ;;
        'plan'*) options='--file --replace --force --sign --fail --without-task --add-nodes --rebalance --watch --interval' ;;
        'status'*) options='--watch --interval --check --reported' ;;
        'stats'*) options='--watch --interval' ;;
        node | 'help node') words='list show offline online drain forgive add remove apply accept' ;;
        'node list'*) options='--watch --interval'; [[ $verb != 'node list' ]] || words="$(_muster_names node "${to[@]}")" ;;
        'node show'*) options='--watch --interval'; [[ $verb != 'node show' ]] || words="$(_muster_names node "${to[@]}")" ;;
        'node offline'*) options='--reason'; [[ $verb != 'node offline' ]] || words="$(_muster_names node "${to[@]}")" ;;
        'node online'*) options='--reason'; [[ $verb != 'node online' ]] || words="$(_muster_names node "${to[@]}")" ;;
        'node drain'*) options='--deadline --force --reason --watch --interval'; [[ $verb != 'node drain' ]] || words="$(_muster_names node "${to[@]}")" ;;
        'node forgive'*) options='--reason'; [[ $verb != 'node forgive' ]] || words="$(_muster_names node "${to[@]}")" ;;
        'node add'*) options='--pool --reason' ;;
        'node remove'*) options='--force --reason --yes'; [[ $verb != 'node remove' ]] || words="$(_muster_names node "${to[@]}")" ;;
        'node apply'*) options='--file --force --reason --dry-run --yes' ;;
        task | 'help task') words='list show add remove scale restart signal' ;;
        'task list'*) options='--watch --interval'; [[ $verb != 'task list' ]] || words="$(_muster_names task "${to[@]}")" ;;
        'task show'*) options='--watch --interval'; [[ $verb != 'task show' ]] || words="$(_muster_names task "${to[@]}")" ;;
        'task add'*) options='--instances --env --workdir --restart --max-per-node --stop-signal --grace --pool --constraint --cpu --memory --slots --spread --group --every-node --pinned --priority --reschedule-after --reconcile --force' ;;
        'task remove'*) options='--yes'; [[ $verb != 'task remove' ]] || words="$(_muster_names task "${to[@]}")" ;;
        'task scale'*) options=''; [[ $verb != 'task scale' ]] || words="$(_muster_names task "${to[@]}")" ;;
        'task restart'*) options=''; [[ $verb != 'task restart' ]] || words="$(_muster_names task "${to[@]}")" ;;
        'task signal'*) options=''; [[ $verb != 'task signal' ]] || words="$(_muster_names task "${to[@]}")" ;;
        group | 'help group') words='list show' ;;
        'group list'*) options='--watch --interval' ;;
        'group show'*) options='--watch --interval' ;;
        demand | 'help demand') words='set list' ;;
        'demand set'*) options='--ttl' ;;
        'demand list'*) options='--watch --interval' ;;
        pool | 'help pool') words='list forecast show members create set remove pause resume' ;;
        'pool list'*) options='--watch --interval' ;;
        'pool forecast'*) options='--watch --interval' ;;
        'pool show'*) options='--watch --interval' ;;
        'pool members'*) options='--watch --interval' ;;
        'pool create'*) options='--unit --provider --predictor --min --max --step --drain-budget --node-amount --arrive-within --max-drain --up-cooldown --down-cooldown --demand-ttl --schedule --zone --shadow --match --reason' ;;
        'pool set'*) options='--unit --provider --predictor --min --max --step --drain-budget --node-amount --arrive-within --max-drain --up-cooldown --down-cooldown --demand-ttl --schedule --zone --shadow --match --reason' ;;
        'pool remove'*) options='--reason' ;;
        'pool pause'*) options='--reason' ;;
        'pool resume'*) options='--reason' ;;
        'wait'*) options='--finished'; [[ $verb != 'wait' ]] || words="$(_muster_names task "${to[@]}")" ;;
        'events'*) options='--follow --since --events' ;;
        'logs'*) options='--follow --stderr --since --node'; [[ $verb != 'logs' ]] || words="$(_muster_names task "${to[@]}")" ;;
        'top'*) options='--node --once --interval'; [[ $verb != 'top' ]] || words="$(_muster_names task "${to[@]}")" ;;
        explain | 'help explain') words='instance task node pool' ;;
        'explain instance'*) options='--watch --interval' ;;
        'explain task'*) options='--watch --interval'; [[ $verb != 'explain task' ]] || words="$(_muster_names task "${to[@]}")" ;;
        'explain node'*) options='--watch --interval'; [[ $verb != 'explain node' ]] || words="$(_muster_names node "${to[@]}")" ;;
        'explain pool'*) options='--watch --interval' ;;
        'explain'*) options='--watch --interval' ;;
        'rebalance'*) options='' ;;
        round | 'help round') words='now' ;;
        'round now'*) options='' ;;
        store | 'help store') words='accept export import check migrate backup' ;;
        'store accept'*) options='--dry-run' ;;
        'store export'*) options='--config --state-dir --dry-run' ;;
        'store import'*) options='--config --state-dir --dry-run' ;;
        'store check'*) options='--config --state-dir' ;;
        'store migrate'*) options='--to --config --state-dir --dry-run' ;;
        'store backup'*) options='--config --state-dir --dry-run' ;;
        freeze | 'help freeze') words='on off show' ;;
        'freeze on'*) options='--reason' ;;
        'freeze off'*) options='--reason' ;;
        'freeze show'*) options='--watch --interval' ;;
        limit | 'help limit') words='list set' ;;
        'limit list'*) options='--watch --interval' ;;
        'limit set'*) options=''; [[ $verb != 'limit set' ]] || words="starts_per_round moves_per_round" ;;
        node | 'help node') words='list show offline online drain forgive add remove apply accept' ;;
        'node accept'*) options='--reason'; [[ $verb != 'node accept' ]] || words="$(_muster_names node "${to[@]}")" ;;
        token | 'help token') words='create list revoke' ;;
        'token create'*) options='--node --ttl --uses --reason' ;;
        'token list'*) options='--watch --interval' ;;
        'token revoke'*) options='--reason' ;;
        key | 'help key') words='list add revoke remove rotate' ;;
        'key list'*) options='--watch --interval' ;;
        'key add'*) options='--expires --pool --task --reason' ;;
        'key revoke'*) options='--reason' ;;
        'key remove'*) options='--reason' ;;
        'key rotate'*) options='--reason'; [[ $verb != 'key rotate' ]] || words="$(_muster_names node "${to[@]}")" ;;
        secret | 'help secret') words='set list remove' ;;
        'secret set'*) options='--file --reason' ;;
        'secret list'*) options='--watch --interval' ;;
        'secret remove'*) options='--reason' ;;
        audit | 'help audit') words='show verify export' ;;
        'audit show'*) options='--since --watch --interval' ;;
        'audit verify'*) options='--watch --interval' ;;
        'audit export'*) options='' ;;
        'init'*) options='--state-dir' ;;
        context | 'help context') words='add use list' ;;
        'context add'*) options='--coordinator-key' ;;
        'context use'*) options='' ;;
        'context list'*) options='' ;;
        signer | 'help signer') words='create' ;;
        'signer create'*) options='' ;;
        'doctor'*) options='' ;;
        'bundle'*) options='' ;;
        coordinator | 'help coordinator') words='list resign' ;;
        'coordinator list'*) options='--watch --interval' ;;
        'coordinator resign'*) options='' ;;
        upgrade | 'help upgrade') words='finish' ;;
        'upgrade finish'*) options='--dry-run' ;;
        log | 'help log') words='level' ;;
        'log level'*) options=''; [[ $verb != 'log level' ]] || words="trace debug info warn error" ;;
        'ping'*) options='--watch --interval' ;;
        help) words='apply plan status stats node task group demand pool wait events logs top explain rebalance round store freeze limit token key secret audit init context signer doctor bundle coordinator upgrade log ping help completion version' ;;
        'help'*) options='' ;;
        'completion'*) options=''; [[ $verb != 'completion' ]] || words="bash zsh" ;;
        'version'*) options='' ;;
    esac
    if [[ $current == -* ]]; then
        words="$options --coordinator --context --timeout --output --run-dir --help"
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -F _muster muster
