# The clusters of the tests: pods with the entrypoints of the Flux Operator. Sourced after lib.sh.
mkdir -p source
cp "$here"/entrypoint/* source/
"$build/flux" keygen source/curve.cert
chmod 644 source/curve.cert

cluster() { # cluster NAME SIZE: pods NAME-0 … with their init containers done, all published
    local i
    for i in $(seq 0 $(($2 - 1))); do
        new_pod "$1-$i"
        publish "$1-$i.$1.default.svc.cluster.local" "$address"
        start_pod "$1-$i" env CLUSTER="$1" HOSTS="${HOSTLIST:-$1-[0-$(($2 - 1))]}" \
            DOMAIN="$1.default.svc.cluster.local" CURVE="${CURVE:-curve}" /opt/flux-source/operator-init
        wait_pod "$1-$i"
    done
}

operator() { # operator POD MODE...: its main container
    local pod=$1
    shift
    start_pod "$pod" env CLUSTER="${pod%-*}" HOSTS="${HOSTLIST:-${pod%-*}-[0-3]}" SIZE="${SIZE:-4}" PAUSE=1 \
        "${settings[@]}" /opt/flux-source/operator "$@"
}
settings=()

followers() { for i in 1 2 3; do operator "$1-$i" "${@:2}"; done; }
codes() { cat "pod/$1/mnt/flux/${2:-lead-code}" | xargs; }
ended_well() { # ended_well CLUSTER CODE: the lead with CODE, the followers with 0, all containers with 0
    local i bad=0
    for i in 0 1 2 3; do wait_pod "$1-$i" || { echo "pod $i: $?"; bad=1; }; done
    [ "$(codes "$1-0")" = "$2" ] || { echo "lead: $(codes "$1-0")"; bad=1; }
    for i in 1 2 3; do [ "$(codes "$1-$i" follower-codes)" = 0 ] || { echo "follower $i: $(codes "$1-$i" follower-codes)"; bad=1; }; done
    [ $bad = 0 ] || tail -n 20 "$1"-?.log
    return $bad
}
