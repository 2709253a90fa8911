# What the tests in t/cli share: a work folder, and checks that count. A test begins with
#     . "$(dirname "$0")/lib.sh" BUILD
# runs `says` and `jobspec` as often as it likes and ends with `verdict`.
build=$(cd "${1:?usage: $0 BUILD}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d /tmp/cli.XXXXXX)
export PATH=$build:$PATH SHELL=/bin/sh LC_ALL=C.UTF-8
unset FLUX_URI FLUX_CONF_DIR NO_COLOR
cd "$work" || exit 1
passed=0 failed=0

start_instance() { # start_instance OPTION...: an instance behind FLUX_URI until the test ends
    flux start "$@" sh -c 'echo "$FLUX_URI" >uri.new; mv uri.new uri; read end <end' </dev/null \
        >instance.log 2>&1 &
    instance=$!
    for _ in $(seq 200); do
        [ -e uri ] && break
        sleep 0.05
    done
    FLUX_URI=$(cat uri) || { cat instance.log; exit 1; }
    export FLUX_URI
}

end_instance() {
    echo >end
    wait "$instance"
    unset FLUX_URI
    rm uri
}

mkfifo end

cleanup() {
    kill $(jobs -p) 2>/dev/null
    wait 2>/dev/null
    cd / && rm -rf "$work"
}
trap cleanup EXIT

count() { # count FAULT TEXT NAME: no fault is a pass
    if [ -z "$1" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $3: $1"
        sed 's/^/     /' "$2" | tail -12
    fi
}

says() { # says CODE PATTERN COMMAND...: exits with CODE ("!0": any but 0) and the output matches; "none": is empty.
    # INPUT=FILE before it: standard input, else there is none.
    local code=$1 pattern=$2 fault= got
    shift 2
    timeout 30 "$@" >"$work/out" 2>&1 <"${INPUT:-/dev/null}"
    got=$?
    if [ "$code" = '!0' ]; then
        [ "$got" = 0 ] && fault="exit code 0"
    elif [ "$got" != "$code" ]; then
        fault="exit code $got, expected $code"
    fi
    # the pattern may span lines, its ^ and $ are those of lines
    if [ "$pattern" = none ]; then
        [ -s "$work/out" ] && fault="${fault:+$fault; }text where none is wanted"
    elif [ -n "$pattern" ]; then
        grep -Pqz -- "(?sm)$pattern" "$work/out" ||
            fault="${fault:+$fault; }no text like /$pattern/"
    fi
    count "$fault" "$work/out" "$*"
}

jobspec() { # jobspec FILTER VALUE COMMAND...: jq's FILTER of the jobspec printed gives VALUE
    local filter=$1 value=$2 fault= got
    shift 2
    got=$("$@" 2>"$work/err" </dev/null | jq -c "$filter" 2>>"$work/err")
    [ "$got" = "$value" ] || fault="found $got, expected $value"
    count "$fault" "$work/err" "$*"
}

verdict() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
    exit
}
