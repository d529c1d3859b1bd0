#!/bin/sh
# What is missing to build, check, lint or measure: names it, prints the install line, runs it.
#   sh tests/deps.sh build|check|lint|bench      DEPS=no: never installs
set -eu
want=${1:-build}
missing=

need() { # need PACKAGE TEST...: the package, unless the test succeeds
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}
has() { command -v "$1"; }
header() { echo "#include <$1>" | ${CC:-cc} -DMATHLIB_STANDALONE -E -; }

need gcc has "${CC:-cc}"
need libc6-dev header stdio.h
need pkg-config has pkg-config
need libsqlite3-dev header sqlite3.h
need libyaml-dev header yaml.h
need libmd-dev header sha2.h
need liburing-dev header liburing.h
need r-mathlib header Rmath.h
case $want in
check | bench)
    need sqlite3 has sqlite3
    need e2fsprogs has /sbin/mkfs.ext4
    need util-linux has setpriv
    need zstd has zstd
    need liblz4-dev header lz4.h
    need libzstd-dev header zstd.h
    need zlib1g-dev header zlib.h
    ;;
esac
case $want in
lint)
    need clang-tidy has clang-tidy
    need cppcheck has cppcheck
    need shellcheck has shellcheck
    ;;
bench)
    need fio has fio
    need bonnie++ has bonnie++
    ;;
esac
[ -n "$missing" ] || exit 0

line="apt-get update; apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null 2>&1; then
    echo "zhist: missing (Debian's names):$missing" >&2
    exit 1
fi
if [ "${DEPS:-}" = no ]; then
    echo "zhist: missing:$missing; DEPS=no, so nothing is installed. As root: $line" >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    run='sh -c'
elif command -v sudo >/dev/null 2>&1; then
    run='sudo sh -c'
else
    echo "zhist: missing:$missing. Install it first, then try again: su -c '$line'" >&2
    exit 1
fi
echo "zhist: missing:$missing" >&2
echo "+ $line" >&2
DEBIAN_FRONTEND=noninteractive
export DEBIAN_FRONTEND
$run "$line"
