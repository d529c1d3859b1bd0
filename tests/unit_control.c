/*
 * unit_control.c: the controls have sensible numbers, and a raw read tells why it cannot.
 */
#include <math.h>
#include <unistd.h>

#include "check.h"
#include "zhist/control.h"

int main(void) {
    struct controls c = {0};
    struct err e = {0};
    controls_measure(&c);
    CHECK("the generator makes data", isfinite(c.generator) && c.generator > 1e6);
    CHECK("memory copies", isfinite(c.memory_copy) && c.memory_copy > 1e6);
    CHECK("the clock has a step and a cost", c.timer >= 1 && c.timer_cost > 0);
    CHECK("no such disk", isnan(control_raw_read("no-such-disk", &e)) && strstr(e.text, "no-such-disk"));
    e = (struct err){0};
    CHECK("what is no disk is refused", isnan(control_raw_read("null", &e)) && e.text[0]);
    return check_done();
}
