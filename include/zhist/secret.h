/* secret.h: which facts tell who or where, so that --mask must hide their values. */
#ifndef ZHIST_SECRET_H
#define ZHIST_SECRET_H

#include <stdbool.h>

bool fact_is_secret(const char *name); /* "dataset.name": kind.key */

#endif
