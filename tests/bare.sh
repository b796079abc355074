#!/usr/bin/env bash
# README's promise on a machine that has only what README asks for: a bare Debian of this machine's
# release, in which a fresh clone of HEAD makes and passes what is named, and how long each takes:
#   tests/bare.sh [TARGET...]      demo and test, where none is named; the exit status is make's
#   tests/bare.sh -c COMMAND       a command of bash in the clone that the last run made
# What is installed here does not exist there. The root is kept in build/bare and made again when the list
# below changes; the clone and root's home, with all caches, are new in each run. What mounts are needed
# exist only for the run's own processes, and end with them, also when this script is killed.
set -euo pipefail
cd "$(dirname "$0")/.."
PACKAGES="python3 python3-venv gcc libc6-dev make git ca-certificates"
# What this machine's settings say about package registries, and about certificates.
SETTINGS='(PIP|UV|NPM_CONFIG|npm_config|SSL_CERT|GIT_SSL)_\w+|\w+_(proxy|PROXY)'
SETTINGS="$SETTINGS|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|NODE_EXTRA_CA_CERTS"
FILES="etc/pip.conf etc/uv etc/npmrc etc/ssl/certs usr/local/share/ca-certificates etc/resolv.conf etc/hosts"
HOME_FILES=".pip .config/pip .config/uv .npmrc"

folder=$PWD/build/bare
root=$folder/root
if [ "$(id -u)" != 0 ]; then
    echo "$0: only root can make a Debian root and mount what it needs. Run this as root," \
        "or 'make demo test' for the same with what this machine has." >&2
    exit 1
fi
for tool in mmdebstrap unshare git; do
    command -v $tool >/dev/null || {
        echo "$0 needs $tool. Debian package: ${tool/unshare/util-linux}" >&2
        exit 1
    }
done

release() { # the name that mirrors know
    . /etc/os-release
    echo "$VERSION_CODENAME"
}

settings() { # as NAME=VALUE
    env | grep -E "^($SETTINGS)=" || true
}

copy_settings() { # and the files that they are in or name, through a tar that sees nothing but the root
    local named
    mapfile -t named < <(settings | sed -n 's,^[^=]*=/\([^ :]*\)$,\1,p')
    take / $FILES "${named[@]}" | chroot "$root" tar -x -C /
    take "$HOME" $HOME_FILES | chroot "$root" tar -x -C /root
}

take() { # FOLDER PATH...: an archive of the paths that are there, links replaced by what they lead to
    local folder=$1 path there=()
    shift
    for path in "$@"; do
        if [ -e "$folder/$path" ]; then there+=("$path"); fi
    done
    tar -c --dereference -C "$folder" --files-from /dev/null "${there[@]}"
}

make_root() {
    local wanted
    wanted="$(release) $PACKAGES"
    if [ "$(cat "$folder/made" 2>/dev/null)" = "$wanted" ]; then return; fi
    rm -rf "$folder"
    mkdir -p "$folder"
    apt-config dump Acquire >"$folder/apt.conf" # how this machine reaches its mirrors
    echo "Making a bare Debian $(release) in $root"
    mmdebstrap --quiet --variant=minbase --aptopt="$folder/apt.conf" --include="${PACKAGES// /,}" \
        "$(release)" "$root" </dev/null
    echo "$wanted" >"$folder/made"
}

clone_anew() {
    rm -rf "$root/clone" "$root/root"
    mkdir "$root/root"
    git clone --quiet --no-hardlinks . "$root/clone"
}

# In namespaces of its own: mounts, none of which shows a folder of this machine, and then the command alone.
INSIDE='
    root=$1 command=$2
    shift 2
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys" || true
    mount -t tmpfs tmpfs "$root/tmp"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts "$root/dev/pts"
    cd /
    # Bash lets what runs in the background ignore Ctrl-C, which programs there must not inherit.
    exec chroot "$root" /usr/bin/env -i --default-signal HOME=/root PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 "$@" \
        bash -c "cd /clone && $command; exit"' # bash stays: the first process buries those without a parent

in_root() { # COMMAND
    local settings code=0
    mapfile -t settings < <(settings)
    setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child \
        bash -euc "$INSIDE" bare "$root" "$1" ${CI:+"CI=$CI"} "${settings[@]}" </dev/null &
    running=$!
    wait $running || code=$?
    running=
    return $code
}

running=
trap '[ -z "$running" ] || kill -KILL "$running"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
make_root
if [ "${1:-}" = -c ]; then
    in_root "$2"
    exit
fi
clone_anew
copy_settings
if [ $# = 0 ]; then set -- demo test; fi
: >"$folder/times.txt"
code=0
for target in "$@"; do
    TIMEFORMAT="make $target: %0R s, %0U + %0S s of processors"
    verdict=
    { time in_root "make $target" 2>&3 || { code=$? verdict=" FAILED"; }; } 3>&2 2>>"$folder/times.txt"
    [ -z "$verdict" ] || sed -i '$ s/$/'"$verdict"'/' "$folder/times.txt"
done
cp "$root/clone/build/failed.txt" "$folder" 2>/dev/null || : >"$folder/failed.txt"
echo
echo "On a bare Debian $(release) with $PACKAGES:"
cat "$folder/times.txt"
exit $code
