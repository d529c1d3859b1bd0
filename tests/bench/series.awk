# A script for tests/scenes: 365 nights of 200 series (10 targets, 10 workloads, 2 phases), one value
# a night. Of ten series EVERY (-v every=N: one of N, 0: none) one falls by 10 % in the middle.
BEGIN {
    print "profile\nzhist: 1\nname: many\nworkloads:"
    for (w = 1; w <= 10; w++)
        printf "  - {name: w%d, kind: file, size: %dMiB, block: 1MiB, phases: [write, read]}\n", w, w
    print "end"
    printf "targets"
    for (t = 1; t <= 10; t++) printf " t%d", t
    print ""
    split("31 28 31 30 31 30 31 31 30 31 30 31", length_of, " ")
    for (night = 1; night <= 365; night++) {
        month = 1; day = night
        while (day > length_of[month]) day -= length_of[month++]
        printf "run 2025-%02d-%02d\n", month, day
        n = 0
        for (t = 1; t <= 10; t++)
            for (w = 1; w <= 10; w++)
                for (p = 0; p < 2; p++)
                    printf "noise w%d %s t%d %g 0.03 1\n", w, p ? "read" : "write", t, \
                        (every && ++n % every == 0 && night > 180 ? 0.9 : 1) * 1e8
        print "end"
    }
}
