#!/bin/sh
# files -> C arrays: sh sql/embed.sh FILE... >embed.c ; the paths are kept as names.
set -eu
LC_ALL=C
export LC_ALL
echo '/* made by sql/embed.sh */'
echo '#include "zhist/embed.h"'
n=0
for file; do
    printf 'static const unsigned char file_%d[] = {' $n
    od -An -v -tu1 "$file" | sed 's/  */,/g; s/^,//; s/$/,/'
    echo '0};'
    n=$((n + 1))
done
echo 'const struct embedded embedded_files[] = {'
n=0
for file; do
    printf '    {"%s", (const char *)file_%d, sizeof file_%d - 1},\n' "$file" $n $n
    n=$((n + 1))
done
echo '};'
echo "const size_t n_embedded_files = $n;"
