#!/bin/sh
# make lint: cppcheck, clang-tidy, gcc -fanalyzer, shellcheck; silent and 0 when clean.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0
flags='-std=c11 -D_XOPEN_SOURCE=700 -DZHIST_VERSION=__FILE__ -Iinclude -include zhist/banned.h'

echo "shellcheck"
shellcheck -s sh tests/*.sh tests/*.t tests/bench/*.sh tests/zfs/*.sh tests/zfs/*.t sql/embed.sh .ci/run || status=1

echo "cppcheck"
cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
    --suppress=missingIncludeSystem --error-exitcode=1 -Iinclude src || status=1

echo "clang-tidy"
# Left out: Annex K, which glibc has not; strcmp() used as a truth value, which is C; the size of a
# pointer, which LENGTH takes of arrays of them; naming and taste.
checks='-*,clang-analyzer-*,bugprone-*,-bugprone-easily-swappable-parameters'
checks="$checks,-bugprone-reserved-identifier,-bugprone-narrowing-conversions"
checks="$checks,-bugprone-assignment-in-if-condition,-bugprone-branch-clone"
checks="$checks,-bugprone-suspicious-string-compare,-bugprone-sizeof-expression"
checks="$checks,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling"
for file in src/*.c src/*/*.c; do # one process a file: va_list checks fail across files
    # shellcheck disable=SC2086 # flags are words
    clang-tidy --quiet --warnings-as-errors='*' --checks="$checks" "$file" -- $flags \
        2>/dev/null || status=1
done

echo "gcc -fanalyzer"
for file in src/*.c src/*/*.c; do
    # shellcheck disable=SC2086
    gcc $flags -O1 -fanalyzer -Werror -c -o /dev/null "$file" || status=1
done
[ $status = 0 ] && echo clean
exit $status
