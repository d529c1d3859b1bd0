#!/bin/sh
# Proves the drawing of the house: who may include what, one door for each library, exit and stdout
# in their places, no file over 500 lines. Prints TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
n=0 failed=0

check() { # NAME FINDINGS: good when there are none
    n=$((n + 1))
    if [ -z "$2" ]; then
        echo "ok $n - $1"
    else
        echo "not ok $n - $1"
        printf '%s\n' "$2" | sed 's/^/#   /'
        failed=1
    fi
}

# A room, and the public headers it may include. Private headers lie in the room itself.
base='base banned unit hist digest embed process spawn json model secret told'
rooms="
base:$base
profile:$base conf profile
measure:$base target work meter control
facts:$base facts zfs
zfs:$base zfs
judge:$base stats change witness
history:$base db store stats change
report:$base db report
cli:$base conf profile target work meter control facts db store report stats change witness opt command
"
for line in $(echo "$rooms" | sed 's/ /,/g'); do
    room=${line%%:*}
    allowed=$(echo "${line#*:}" | sed 's/,/|/g')
    bad=$(grep -nE '#include "' src/"$room"/*.[ch] |
        grep -vE "#include \"zhist/($allowed)\.h\"" |
        while IFS= read -r hit; do
            header=$(echo "$hit" | sed 's/.*#include "\(.*\)".*/\1/')
            [ -f "src/$room/$header" ] || echo "$hit"
        done)
    check "src/$room includes only what is below it" "$bad"
done
check "src/main.c includes only command line and base" \
    "$(grep -nE '#include "' src/main.c | grep -vE '"zhist/(base|unit|model|command|opt)\.h"')"
check "headers include headers only, and model.h has no functions" \
    "$(grep -nE '#include "' include/zhist/*.h | grep -v '#include "zhist/'
       grep -nE '^[a-z].*\(.*\);' include/zhist/model.h | grep -v '^[0-9]*:extern')"

door() { # LIBRARY-HEADER FILES...: only these include it
    header=$1
    shift
    files=$(grep -lE "#include <$header>" -r src include tests/*.c 2>/dev/null | grep -v '^tests/')
    bad=
    for f in $files; do
        case " $* " in *" $f "*) ;; *) bad="$bad $f" ;; esac
    done
    check "<$header> only in: $*" "$bad"
}
door yaml.h src/profile/conf.c
door sqlite3.h src/history/connection.h src/history/sqlfn.c src/base/json.c
door Rmath.h src/judge/dist.c
door sha2.h src/base/digest.c
door liburing.h src/measure/engine_uring.c

check "programs are started in spawn.c only" \
    "$(grep -nE '\b(fork|vfork|posix_spawnp?|exec[lv][pe]*)\(' -r src | grep -v '^src/base/spawn.c')"
check "exit only in main.c, and in the child of spawn.c" \
    "$(grep -nE '\b_?[Ee]xit\(' -r src | grep -vE '^src/(main|base/spawn)\.c' | grep -v atexit)"
check "stdout only in main and cli" \
    "$(grep -nE '\b(printf|puts|putchar)\(|stdout' -r src |
        grep -vE '^src/(main.c|cli/)' | grep -vE 'snprintf|fprintf\(stderr|^\S+:[0-9]+: *(/?\*|//)|/\*.*(stdout|printf)')"
check "no #ifdef inside a function body" \
    "$(awk 'FNR==1{depth=0} /^#if/ && depth>0 {print FILENAME":"FNR": "$0} {depth+=gsub(/{/,"{")-gsub(/}/,"}")}' \
        src/*.c src/*/*.c)"
check "no .c file over 500 lines" "$(wc -l src/*.c src/*/*.c | awk '$2!="total" && $1>500')"
check "every .c file opens with what it is" \
    "$(for f in src/*.c src/*/*.c; do head -1 "$f" | grep -q '^/\*' || echo "$f"; done)"
check "no typedef, no _t of ours" \
    "$(grep -nE '^typedef |^} [a-z_]+_t;' -r src include)"
echo "1..$n"
exit $failed
