
# The words that complete $cur, each with a space behind unless it ends in "=", "/" or ".".
_flux_offer() {
    local word
    compopt -o nospace
    while IFS= read -r word; do
        case $word in
            '') ;;
            *= | */ | *.) COMPREPLY+=("$word") ;;
            *) COMPREPLY+=("$word ") ;;
        esac
    done < <(compgen -W "$1" -- "$cur")
}

_flux_jobids() { # _flux_jobids OPTION...: in the form of what is typed already
    local form=f58
    case $cur in
        f*) form=f58plain ;;
        [0-9]*) form=dec ;;
    esac
    _flux_offer "$(command flux jobs -n -o "{id.$form}" "$@" 2>/dev/null)"
}

_flux_queues() {
    _flux_offer "$(command flux queue list -n -o '{queue}' 2>/dev/null)"
}

# The value of option $2 of command $1.
_flux_value() {
    case $2 in
        --queue | -q) [ "$1" != cancel ] && _flux_queues ;;
        --user | -u) _flux_offer "$(compgen -u) all" ;;
        --color) _flux_offer "always never auto" ;;
        --filter) _flux_offer "depend priority sched run cleanup inactive pending running active completed failed canceled timeout" ;;
        --states | --signal | -S | -s)
            case $1 in
                resource\ status) _flux_offer "all online avail offline exclude drain draining drained torpid allocated housekeeping" ;;
                resource\ *) _flux_offer "up down allocated free all" ;;
                "job kill" | "job killall" | run | submit) _flux_offer "$(compgen -A signal)" ;;
                cancel | job\ *) _flux_offer "depend priority sched run pending running active" ;;
            esac
            ;;
        --urgency) _flux_offer "hold default expedite" ;;
        --flags) _flux_offer "debug waitable novalidate" ;;
        --to | -t) [ "$1" = "job id" ] && _flux_offer "dec kvs hex dothex words f58 f58plain emoji" ;;
        --jobid | -j) _flux_jobids -f run ;;
    esac
}

# The words after the options of command $1.
_flux_argument() {
    case $1 in
        cancel | update | watch | pstree | "job attach" | "job kill" | "job raise" | "job urgency" | \
            "job why" | "job wait-event" | "job timeleft" | "job hostpids" | "job memo")
            _flux_jobids
            ;;
        jobs | "job status" | "job info" | "job eventlog" | "job taskmap" | "job id" | "job purge")
            _flux_jobids -a -c 100
            ;;
        uri | proxy | shutdown | top) _flux_jobids -f run ;;
        queue\ *) _flux_queues ;;
        getattr | setattr) _flux_offer "$(command flux lsattr 2>/dev/null)" ;;
        module\ remove | module\ reload | module\ stats | module\ debug)
            _flux_offer "$(command flux module list 2>/dev/null | awk 'NR > 1 { print $1 }')"
            ;;
        kvs\ get | kvs\ dir | kvs\ ls | kvs\ put | kvs\ unlink | kvs\ readlink)
            local folder=
            [[ $cur == *.* ]] && folder=${cur%.*}
            _flux_offer "$(command flux kvs ls -1F ${folder:+"$folder"} 2>/dev/null |
                sed "s/^/${folder:+$folder.}/")"
            ;;
        resource\ drain | resource\ undrain)
            _flux_offer "$(command flux hostlist -e -d " " instance 2>/dev/null)"
            ;;
        help) _flux_offer "${_flux_words[.]}" ;;
        run | submit | bulksubmit | alloc | start | exec | env)
            mapfile -t COMPREPLY < <(compgen -c -- "$cur")
            ;;
    esac
}

_flux() {
    local cur=${COMP_WORDS[COMP_CWORD]} option= command= word skip= i
    # "--queue=a" comes in three words.
    if [ "$cur" = = ]; then
        option=${COMP_WORDS[COMP_CWORD - 1]} cur=
    elif [ "${COMP_WORDS[COMP_CWORD - 1]}" = = ]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [ -n "$skip" ]; then
            skip=
        elif [[ $word == -* && -n $command && ${_flux_takes[$command]} == *" $word "* &&
            ${COMP_WORDS[i + 1]} != = ]]; then
            skip=$word
        elif [[ $word != -* && $word != = && -n ${_flux_words[${command:-.}]} &&
            "${_flux_words[${command:-.}]}" == *" $word "* ]]; then
            command=${command:+$command }$word
        fi
    done
    COMPREPLY=()
    if [ -n "$option$skip" ]; then
        _flux_value "$command" "${option:-$skip}"
    elif [[ $cur == -* ]]; then
        _flux_offer "${_flux_options[${command:-none}]:---help --verbose --version --parent --root}"
    elif [ -n "${_flux_words[${command:-.}]}" ]; then
        _flux_offer "${_flux_words[${command:-.}]}"
    else
        _flux_argument "$command"
    fi
}

complete -o default -F _flux flux
