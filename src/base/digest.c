/*
 * digest.c: SHA-256 through libmd, the only file that includes <sha2.h>.
 * It must not know what the bytes are: whoever digests something decides its canonical form.
 */
#include "zhist/digest.h"

#include <sys/types.h>
#include <sha2.h>

void digest_hex(const void *bytes, size_t len, char hex[65]) {
    static const char digits[] = "0123456789abcdef";
    uint8_t sum[SHA256_DIGEST_LENGTH];
    SHA2_CTX ctx;

    SHA256Init(&ctx);
    if (len > 0)
        SHA256Update(&ctx, bytes, len);
    SHA256Final(sum, &ctx);
    for (size_t i = 0; i < sizeof sum; i++) {
        hex[2 * i] = digits[sum[i] >> 4];
        hex[2 * i + 1] = digits[sum[i] & 15];
    }
    hex[64] = '\0';
}
