/*
 * unit_wait.c: how long --wait rests before it looks again.
 */
#include "../src/cli/recorder.h"
#include "check.h"

/* main.c has them; nothing is printed here. */
void print_note(const char *fmt, ...) {
    (void)fmt;
}
int print_out(const struct buf *text, struct err *e) {
    (void)text;
    (void)e;
    return 0;
}

int main(void) {
    const int64_t s = NS_PER_S;
    CHECK("time enough: as usual", wait_rest(5 * s, 60 * s, s) == 5 * s);
    CHECK("the last look ends with the time", wait_rest(5 * s, 3 * s, s) == 2 * s);
    CHECK("just so", wait_rest(5 * s, 6 * s, s) == 5 * s);
    CHECK("a look takes all of it", wait_rest(5 * s, s, s) == 0);
    CHECK("or more", wait_rest(5 * s, s, 7 * s) == 0);
    CHECK("nothing left", wait_rest(5 * s, 0, s) == 0 && wait_rest(5 * s, -s, s) == 0);
    return check_done();
}
