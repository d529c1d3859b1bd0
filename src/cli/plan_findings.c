/*
 * plan_findings.c: the findings of a dry run, broken at the width of the terminal.
 */
#include "plan.h"
#include "zhist/report.h"

enum { WIDEST = 120 }; /* lines of prose wider than that are hard to read */

void plan_put_finding(const char *before, const struct finding *f, const char *kind, int indent,
                      struct buf *out) {
    struct buf line = {0};
    int width = report_width();
    buf_fmt(&line, "%s%s%s: %s", before, f->code, kind, f->text);
    for (int i = 0; i < indent; i++)
        buf_str(out, " ");
    report_wrap(out, line.data, indent, indent + 2, width < WIDEST ? width : WIDEST);
    buf_str(out, "\n");
    buf_release(&line);
}

void plan_put_findings(const struct finding_list *findings, struct buf *out) {
    bool any = false;
    for (size_t i = 0; i < findings->n; i++) {
        const struct finding *f = &findings->items[i];
        bool say = f->severity == SEVERITY_SAY;
        if (f->severity == SEVERITY_REFUSE) /* told at the top */
            continue;
        if (!any)
            buf_str(out, "\nFindings\n");
        any = true;
        plan_put_finding("", f,
                         say                             ? " (note)"
                         : f->severity == SEVERITY_CLASS ? " (class)"
                                                         : " (disturbed)",
                         2, out);
    }
}
