/*
 * unit_steady.c: SNIA's steady state, at its limits.
 */
#include <stdlib.h>

#include "check.h"
#include "zhist/witness.h"

static FILE *data_open(const char *file) {
    const char *tests = getenv("ZHIST_TESTS");
    char path[4096];
    snprintf(path, sizeof path, "%s/data/stats/%s", tests ? tests : "tests", file);
    return fopen(path, "r");
}

static size_t numbers(char *list, double *x) {
    size_t n = 0;
    for (char *save = NULL, *at = strtok_r(list, " ", &save); at; at = strtok_r(NULL, " ", &save))
        x[n++] = strtod(at, NULL);
    return n;
}

static void test_vectors(void) {
    FILE *f = data_open("misc/steady_state.csv");
    char line[512];
    int rows = 0;
    while (f && fgets(line, sizeof line, f)) {
        double x[16];
        char *at = line, *field[6] = {0};
        line[strcspn(line, "\n")] = 0;
        for (size_t i = 0; i < 6 && at; i++) {
            field[i] = at;
            at = i < 5 ? strchr(at, ',') : NULL;
            if (at)
                *at++ = 0;
        }
        if (!field[5] || !strcmp(field[0], "name"))
            continue;
        size_t n = numbers(field[1], x);
        struct steady s = steady_state(x, n);
        CHECK(field[0], s.steady == !strcmp(field[5], "yes"));
        if (*field[3]) {
            CHECK_NEAR("range", 100 * s.range, strtod(field[3], NULL), 1e-9);
            CHECK_NEAR("excursion", 100 * s.excursion, strtod(field[4], NULL), 1e-9);
        }
        rows++;
    }
    CHECK("the vectors were read", rows == 13);
    if (f)
        fclose(f);
}

int main(void) {
    test_vectors();
    static const double decay[] = {400, 310, 240, 190, 170, 171, 169, 172, 170};
    CHECK("a fresh disk is not", !steady_state(decay, 5).steady);
    CHECK("after nine rounds it is: the last five count", steady_state(decay, 9).steady);
    CHECK("no rounds", !steady_state(decay, 0).steady && isnan(steady_state(decay, 4).average));
    return check_done();
}
