/*
 * smart.c: what a disk says of itself, by smartctl or, of nvme, by nvme-cli, as JSON.
 *
 * All of it is state: it is there as root, when the tool is installed, the disk is awake and time
 * is left, and a set of facts must not change with that. A sleeping disk is not woken. smartctl's
 * exit status is a mask (smartctl(8)): 1 it did not understand us, 2 the disk could not be opened
 * or sleeps; the others are about the disk's health, and the answer is whole.
 */
#include <unistd.h>

#include "probe.h"
#include "zhist/json.h"

enum { NO_ANSWER = 1 | 2, REALLOCATED = 5, PENDING = 197 };
/* Of all disks together; asking one takes some 20 ms, on a loaded machine a second. */
static const int64_t BUDGET = 3 * NS_PER_S;

static const char from_smartctl[] = "smartctl", from_nvme[] = "nvme smart-log";

/* The first that is there counts: ATA and NVMe, then SCSI. */
static const struct smart_fact {
    const char *key, *paths[3];
} smart_facts[] = {
    {"smart_health", {NULL}}, /* from a boolean, below */
    {"smart_model", {"model_name", "scsi_model_name", "scsi_product"}},
    {"smart_firmware", {"firmware_version", "scsi_revision"}},
    {"smart_temperature", {"temperature.current"}},
    {"power_on_hours", {"power_on_time.hours"}},
    {"rotation_rate", {"rotation_rate"}},
    {"form_factor", {"form_factor.name"}},
    {"interface_speed", {"interface_speed.current.string"}},
    {"interface_speed_max", {"interface_speed.max.string"}},
    {"reallocated_sectors", {"scsi_grown_defect_list"}}, /* of ATA from the table, below */
    {"pending_sectors", {"scsi_pending_defects.count"}},
    {"media_errors", {"nvme_smart_health_information_log.media_errors"}},
    {"endurance_used",
     {"nvme_smart_health_information_log.percentage_used", "endurance_used.current_percent",
      "scsi_percentage_used_endurance_indicator"}},
};

static void all_unknown(struct probe *p, struct factset *set, const char *why) {
    for (size_t i = 0; i < LENGTH(smart_facts); i++)
        fact_add(p->a, set, smart_facts[i].key, NULL, why);
}

/* "temperature.current" */
static const struct json *json_at(struct arena *a, const struct json *j, const char *path) {
    for (const char *at = path; at && j; at = *at ? at + 1 : NULL) {
        size_t len = strcspn(at, ".");
        j = json_get(j, arena_copy(a, at, len));
        at += len;
        if (!*at)
            break;
    }
    return j;
}

static const char *text_at(struct arena *a, const struct json *j, const char *path) {
    j = json_at(a, j, path);
    return j && (j->type == JSON_TEXT || j->type == JSON_INTEGER) ? j->text : NULL;
}

/* The raw value of an attribute in the table of ATA disks. */
static const char *attribute(struct arena *a, const struct json *j, int id) {
    const struct json *row = json_at(a, j, "ata_smart_attributes.table");
    for (row = row && row->type == JSON_ARRAY ? row->first : NULL; row; row = row->next) {
        const struct json *number = json_get(row, "id");
        if (number && number->type == JSON_INTEGER && number->integer == id)
            return text_at(a, row, "raw.value");
    }
    return NULL;
}

static void put(struct probe *p, struct factset *set, const char *key, const char *value,
                const char *source) {
    fact_add(p->a, set, key, value, value ? source : arena_fmt(p->a, "%s: not said", source));
}

/* What it says when it has no answer. */
static const char *refusal(struct arena *a, const struct json *j, int code) {
    const struct json *m = json_at(a, j, "smartctl.messages");
    const char *text =
        m && m->type == JSON_ARRAY && m->first ? json_text(m->first, "string") : NULL;
    return text ? arena_fmt(a, "smartctl: %s", text)
                : arena_fmt(a, "smartctl: exit %d: the disk sleeps, or cannot be opened", code);
}

static const char *smartctl(struct probe *p, struct factset *set, const char *device) {
    const char *const argv[] = {"smartctl", "-j", "-n", "standby", "-i", "-A", "-H", device, NULL};
    const char *why = NULL;
    struct err e = {0};
    size_t len;
    int code = 0;
    const char *text = probe_run_any(p, argv, RUN_DISK_MS, &len, &code, &why);
    if (!text)
        return why;
    const struct json *j = json_read(p->a, text, len, &e);
    if (!j || j->type != JSON_OBJECT)
        return code ? arena_fmt(p->a, "smartctl: exit %d, and no JSON", code)
                    : arena_fmt(p->a, "smartctl: %s", j ? "no JSON object" : e.text);
    const struct json *version = json_get(j, "json_format_version");
    version = version && version->type == JSON_ARRAY ? version->first : NULL;
    if (!version || version->type != JSON_INTEGER || version->integer != 1)
        return "smartctl: its JSON is not of version 1";
    const struct json *status = json_at(p->a, j, "smartctl.exit_status");
    code = status && status->type == JSON_INTEGER ? (int)(status->integer & 0xff) : code;
    if (code & NO_ANSWER)
        return refusal(p->a, j, code);
    for (size_t i = 0; i < LENGTH(smart_facts); i++) {
        const char *value = NULL;
        for (size_t k = 0; k < LENGTH(smart_facts[i].paths) && smart_facts[i].paths[k] && !value;
             k++)
            value = text_at(p->a, j, smart_facts[i].paths[k]);
        put(p, set, smart_facts[i].key, value, from_smartctl);
    }
    /* SCSI disks without a sensor say 0. */
    const char *degrees = text_at(p->a, j, "temperature.current");
    if (degrees && !strcmp(degrees, "0"))
        put(p, set, "smart_temperature", NULL, from_smartctl);
    const struct json *passed = json_at(p->a, j, "smart_status.passed");
    put(p, set, "smart_health",
        !passed                      ? NULL
        : passed->type == JSON_TRUE  ? "passed"
        : passed->type == JSON_FALSE ? "failed"
                                     : NULL,
        from_smartctl);
    if (json_get(j, "ata_smart_attributes")) {
        put(p, set, "reallocated_sectors", attribute(p->a, j, REALLOCATED), from_smartctl);
        put(p, set, "pending_sectors", attribute(p->a, j, PENDING), from_smartctl);
    }
    return NULL;
}

/* nvme-cli, libnvme: temperature in kelvin, critical_warning 0 where nothing is wrong. */
static const char *nvme(struct probe *p, struct factset *set, const char *device) {
    const char *const argv[] = {"nvme", "smart-log", "-o", "json", device, NULL};
    const char *why = NULL;
    struct err e = {0};
    size_t len;
    const char *text = probe_run(p, argv, RUN_DISK_MS, &len, &why);
    if (!text)
        return why;
    const struct json *j = json_read(p->a, text, len, &e), *number;
    if (!j || j->type != JSON_OBJECT)
        return arena_fmt(p->a, "nvme smart-log: %s", j ? "no JSON object" : e.text);
    all_unknown(p, set, "nvme smart-log: not said");
    number = json_get(j, "critical_warning");
    if (number && number->type == JSON_INTEGER)
        put(p, set, "smart_health", number->integer ? "failed" : "passed", from_nvme);
    number = json_get(j, "temperature");
    if (number && number->type == JSON_INTEGER && number->integer > 0 && number->integer < 1000)
        put(p, set, "smart_temperature", arena_fmt(p->a, "%lld", (long long)number->integer - 273),
            from_nvme);
    put(p, set, "power_on_hours", text_at(p->a, j, "power_on_hours"), from_nvme);
    put(p, set, "media_errors", text_at(p->a, j, "media_errors"), from_nvme);
    put(p, set, "endurance_used", text_at(p->a, j, "percent_used"), from_nvme);
    return NULL;
}

/* SCSI, which is ATA too, and NVMe; behind virtio-scsi as well. */
static bool answers(const char *name) {
    return !strncmp(name, "sd", 2) || !strncmp(name, "nvme", 4);
}

void disk_smart(struct probe *p, struct factset *set, const char *name) {
    const char *device = arena_fmt(p->a, "/dev/%s", name), *why;
    if (!answers(name))
        why = "not asked: neither SCSI nor NVMe";
    else if (p->live && geteuid())
        why = "not asked: that needs root";
    else if (p->smart_spent >= BUDGET)
        why = "not asked: the disks before it took all the time";
    else {
        int64_t start = clock_monotonic_ns();
        why = smartctl(p, set, device);
        if (why && !strncmp(name, "nvme", 4)) {
            const char *first = why;
            why = nvme(p, set, device);
            why = why ? arena_fmt(p->a, "%s; %s", first, why) : NULL;
        }
        p->smart_spent += clock_monotonic_ns() - start;
    }
    if (why)
        all_unknown(p, set, why);
}
