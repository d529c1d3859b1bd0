/* digest.h: SHA-256 (FIPS 180-4) as 64 hex digits and a NUL; the door to libmd. */
#ifndef ZHIST_DIGEST_H
#define ZHIST_DIGEST_H

#include "zhist/base.h"

void digest_hex(const void *bytes, size_t len, char hex[65]);

#endif
