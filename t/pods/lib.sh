# Pods without a cluster: each is a network, PID, UTS and mount namespace with a read-only root, a
# /mnt/flux, /opt and /tmp of its own and an /etc/hosts that all share, which stands for the DNS. A test begins with
#     . "$(dirname "$0")/lib.sh" BUILD
# and ends with `verdict`. It runs in a sandbox of namespaces that takes all its processes, mounts and
# interfaces with it when it ends. Without root (or user namespaces) nothing runs, and that is said.
if [ -z "${SLUICE_SANDBOX:-}" ]; then
    sandbox=(unshare --mount --net --pid --fork --kill-child=KILL --mount-proc --propagation private)
    [ "$(id -u)" = 0 ] || sandbox+=(--user --map-root-user)
    if ! "${sandbox[@]}" true 2>/dev/null; then
        echo "$(basename "$0"): this user may not make namespaces, so there are no pods to test in"
        echo "0 passed, 0 failed"
        exit 0
    fi
    SLUICE_SANDBOX=1 exec "${sandbox[@]}" bash "$0" "$@"
fi
build=$(cd "${1:?usage: $0 BUILD}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
work=$(mktemp -d /tmp/pods.XXXXXX)
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
unset FLUX_URI FLUX_CONF_DIR NO_COLOR SLUICE_SANDBOX
passed=0 failed=0
declare -A pod_pid outer_pid

count() { # count FAULT NAME: no fault is a pass
    if [ -z "$1" ]; then
        passed=$((passed + 1))
        echo "ok   $2"
    else
        failed=$((failed + 1))
        echo "FAIL $2: $1"
        [ -e "$work/out" ] && sed 's/^/     /' "$work/out" | tail -15
    fi
}

check() { # check NAME COMMAND...
    local name=$1 fault=
    shift
    timeout 60 "$@" >"$work/out" 2>&1 </dev/null || fault="exit code $?"
    count "$fault" "$name"
}

checks() { # checks NAME FUNCTION...: as check, for a function of the test
    local name=$1 fault=
    shift
    "$@" >"$work/out" 2>&1 </dev/null || fault="exit code $?"
    count "$fault" "$name"
}

verdict() {
    echo "$passed passed, $failed failed"
    [ $failed = 0 ]
}

until_true() { # until_true SECONDS COMMAND...
    local end=$((SECONDS + $1))
    shift
    while ! "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.05
    done
}

make_view() { "$top/etc/container/make-view" "$build" "$work/views/._view/flux" >"$work/view.log" || exit 1; }

make_network() { # a bridge, in the sandbox's own network
    mount -t tmpfs tmpfs /run && mkdir -p /run/netns
    ip link set lo up
    ip link add cluster0 type bridge && ip addr add 10.98.0.1/24 dev cluster0 && ip link set cluster0 up
    printf '127.0.0.1 localhost\n' >"$work/hosts"
    echo 'nameserver 127.0.0.1' >"$work/resolv.conf"
    pods_made=0
}

new_pod() { # new_pod NAME: its network and folders; the address is in $address
    local name=$1
    pods_made=$((pods_made + 1))
    address=10.98.0.$((pods_made + 10))
    ip netns add "$name"
    ip link add eth0 netns "$name" type veth peer name "port$pods_made"
    ip link set "port$pods_made" master cluster0 up
    ip -n "$name" addr add "$address/24" dev eth0
    ip -n "$name" link set eth0 up
    ip -n "$name" link set lo up
    mkdir -p "$work/pod/$name"/{mnt/flux,opt/software,tmp,home,run}
    chmod 1777 "$work/pod/$name/tmp"
    echo "the view holds all" >"$work/pod/$name/opt/software/README"
}

publish() { printf '%s %s\n' "$2" "$1" >>"$work/hosts"; } # publish NAME ADDRESS: the DNS record appears

pod_shell='
cd "$0"; name=$1; work=$2; shift 2
hostname "$name"
# The files of the pod first, then all else read-only, and this view of it as the root.
mount --bind "$work/pod/$name/mnt" /mnt
mount --bind "$work/pod/$name/opt" /opt
mount --bind "$work/pod/$name/home" /home
mount --bind "$work/pod/$name/run" /run
mount --bind "$work/hosts" /etc/hosts
[ -e /etc/resolv.conf ] && mount --bind "$work/resolv.conf" /etc/resolv.conf
mount -t proc proc /proc
mount -t tmpfs -o ro tmpfs /dev/shm
if [ -d "$work/views" ]; then mkdir -p /opt/views && mount --bind "$work/views" /opt/views; fi
mkdir -p /opt/flux-source
mount --bind "$work/source" /opt/flux-source
mount --bind "$work/pod/$name/tmp" /tmp
mount -o remount,bind,ro /
cd /tmp
exec "$@"
'

start_pod() { # start_pod NAME COMMAND...: the command is PID 1; output in $work/NAME.log, exit code by wait_pod
    local name=$1
    shift
    mkdir -p "$work/source"
    ip netns exec "$name" unshare --mount --uts --pid --ipc --fork --kill-child=KILL --propagation private \
        sh -c "$pod_shell" / "$name" "$work" "$@" >>"$work/$name.log" 2>&1 </dev/null &
    outer_pid[$name]=$!
    until_true 5 pod_lives "$name" || return 1
}

pod_lives() {
    local child
    child=$(cat "/proc/${outer_pid[$1]}/task/${outer_pid[$1]}/children" 2>/dev/null)
    [ -n "$child" ] && pod_pid[$1]=${child%% *}
}

wait_pod() { # wait_pod NAME [SECONDS]: exit code of its command, 124 when it does not end
    until_true "${2:-30}" pod_ended "$1" || return 124
    wait "${outer_pid[$1]}"
}
pod_ended() { ! kill -0 "${outer_pid[$1]}" 2>/dev/null; }

in_pod() { # in_pod NAME COMMAND...: kubectl exec, with an empty environment
    local name=$1
    shift
    nsenter -t "${pod_pid[$name]}" --mount --uts --ipc --net --pid --wd=/tmp \
        env -i PATH=/usr/local/bin:/usr/bin:/bin:/mnt/flux/view/bin HOME=/ "$@"
}

signal_pod() { kill "-$2" "${pod_pid[$1]}"; } # signal_pod NAME SIGNAL: to PID 1
