#!/bin/sh
# make demo: a real run of the quick profile here, its report, then what a year may look like.
set -eu
build=$1
zhist=$build/zhist
rm -f build/demo.db build/made-up.db

echo "Measuring the current directory with profiles/quick.yaml (about half a minute):"
"$zhist" --db build/demo.db record profiles/quick.yaml --label by=demo
echo
"$zhist" --db build/demo.db report
cat <<'END'

--------------------------------------------------------------------------------
What a year may look like. THE FIGURES BELOW ARE MADE UP: nothing of them was
measured. A NAS is measured every night; after 300 nights it is upgraded.
--------------------------------------------------------------------------------

END
"$build/made_up" build/made-up.db 1
"$zhist" --db build/made-up.db report
cat <<END

Next:
  $zhist --db build/demo.db record nightly --quick --target .
  $zhist --db build/made-up.db report trend --each
  $zhist help record
END
