/*
 * check.h: unit tests print TAP lines: one "ok" or "not ok" a named check.
 *
 *     CHECK("a name", condition);
 *     CHECK_TEXT("a name", got, want);
 *     CHECK_NEAR("a name", got, want, relative_tolerance);
 *     SKIP("a name", "reason");
 *     return check_done();
 */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static int check_failed, check_count;

static inline int check_line(int ok, const char *name, const char *file, int line) {
    printf("%sok %d - %s\n", ok ? "" : "not ", ++check_count, name);
    if (!ok) {
        printf("#   %s:%d\n", file, line);
        check_failed++;
    }
    return ok;
}

#define CHECK(name, condition) check_line(!!(condition), (name), __FILE__, __LINE__)

static inline void check_text(const char *name, const char *got, const char *want,
                              const char *file, int line) {
    int ok = got && want ? !strcmp(got, want) : got == want;
    if (!check_line(ok, name, file, line))
        printf("#   got:  %s\n#   want: %s\n", got ? got : "(null)", want ? want : "(null)");
}
#define CHECK_TEXT(name, got, want) check_text((name), (got), (want), __FILE__, __LINE__)

static inline void check_near(const char *name, double got, double want, double tolerance,
                              const char *file, int line) {
    int ok = isnan(want) ? isnan(got) : fabs(got - want) <= tolerance * fmax(fabs(want), 1e-300);
    if (!check_line(ok, name, file, line))
        printf("#   got:  %.17g\n#   want: %.17g (relative tolerance %g)\n", got, want, tolerance);
}
#define CHECK_NEAR(name, got, want, tolerance)                                                     \
    check_near((name), (got), (want), (tolerance), __FILE__, __LINE__)

#define SKIP(name, reason) printf("ok %d - %s # SKIP %s\n", ++check_count, (name), (reason))

static inline int check_done(void) {
    printf("1..%d\n", check_count);
    return check_failed != 0;
}

#endif
