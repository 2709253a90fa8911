# Sourced by tests with several users: a mount namespace with users, a munged and a syslog of its own.
# Nothing of it is left on the machine. Call `own_namespace "$0" "$@"` first.

own_namespace() { # goes on in a mount namespace; without root there is nothing to test
    if [ "$(id -u)" != 0 ]; then
        echo "switching users needs root; skipped"
        echo "0 passed, 0 failed"
        exit 0
    fi
    [ -n "${IN_OWN_NAMESPACE:-}" ] ||
        IN_OWN_NAMESPACE=1 exec unshare --mount --propagation private "$@"
}

make_users() { # make_users WORK: /etc with users flux, alice, bob, carol; /dev with a log; munged
    work=$1
    chmod 755 "$work"
    mkdir "$work/layers" && mount -t tmpfs tmpfs "$work/layers" &&
        mkdir "$work"/layers/{up,work} &&
        mount -t overlay -o "lowerdir=/etc,upperdir=$work/layers/up,workdir=$work/layers/work" \
            overlay /etc || return 1
    local uid=64001 name
    for name in flux alice bob carol; do
        mkdir -p "$work/home/$name"
        chown $uid:$uid "$work/home/$name"
        echo "$name:x:$uid:$uid::$work/home/$name:/bin/bash" >>/etc/passwd
        echo "$name:x:$uid:" >>/etc/group
        uid=$((uid + 1))
    done
    rm -rf /etc/flux
    mkdir -p /etc/flux/imp/conf.d /etc/flux/security/conf.d /etc/flux/system/conf.d
    mkdir "$work/dev" && mount --rbind /dev "$work/dev" && mount -t tmpfs -o mode=755 tmpfs /dev ||
        return 1
    for name in null zero full random urandom tty ptmx; do
        [ -e "$work/dev/$name" ] && touch /dev/$name && mount --bind "$work/dev/$name" /dev/$name
    done
    for name in shm pts; do mkdir /dev/$name && mount --rbind "$work/dev/$name" /dev/$name; done
    ln -s /proc/self/fd /dev/fd
    python3 - "$work/syslog" >/dev/null 2>&1 <<'PY' &
import os, socket, sys
log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
log.bind("/dev/log")
os.chmod("/dev/log", 0o666)
with open(sys.argv[1], "wb", buffering=0) as out:
    while True:
        out.write(log.recv(65536) + b"\n")
PY
    user_pids="$!"
    start_munged
    wait_for_file /dev/log
}

start_munged() {
    mkdir -p "$work/munge"
    [ -e "$work/munge/key" ] || (umask 077 && head -c 128 /dev/urandom >"$work/munge/key")
    /usr/sbin/munged --foreground --force --key-file="$work/munge/key" \
        --socket="$work/munge/socket" --pid-file="$work/munge/pid" --log-file="$work/munge/log" \
        --seed-file="$work/munge/seed" --num-threads=2 >"$work/munge/out" 2>&1 </dev/null &
    munged=$!
    wait_for_file "$work/munge/socket"
}

stop_users() {
    kill -KILL $user_pids "$munged" 2>/dev/null
    wait $user_pids "$munged" 2>/dev/null
}

wait_for_file() {
    for _ in $(seq 500); do
        [ -e "$1" ] && return 0
        sleep 0.02
    done
    echo "$1 did not appear" >&2
    return 1
}

as() { # as USER COMMAND...: with that user's ids and no more
    setpriv --reuid="$1" --regid="$1" --clear-groups -- env HOME="$work/home/$1" USER="$1" "${@:2}"
}

sign() { # sign USER JOBSPEC [UID [MECHANISM]]: a J of USER, whose header says UID
    as "$1" python3 - "$work/munge/socket" "$2" "${3:-$(id -u "$1")}" "${4:-munge}" <<'PY'
import base64, hashlib, subprocess, sys
socket, jobspec, uid, mechanism = sys.argv[1:]
header = f"version\0i1\0mechanism\0s{mechanism}\0userid\0i{uid}\0"
sealed = b".".join(base64.b64encode(part.encode()) for part in (header, jobspec))
if mechanism == "none":
    signature = b"none"
else:
    digest = b"\1" + hashlib.sha256(sealed).digest()
    signature = subprocess.run(["munge", "--socket", socket], input=digest, capture_output=True,
                               check=True).stdout.strip()
print((sealed + b"." + signature).decode())
PY
}
