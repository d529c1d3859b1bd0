/*
 * meter.h: the meters below a root of the test's making; "" is the machine.
 */
#ifndef MEASURE_METER_H
#define MEASURE_METER_H

#include "zhist/meter.h"

struct meter *meter_open_at(struct arena *a, const char *root, const struct meter_spec *spec);

#endif
