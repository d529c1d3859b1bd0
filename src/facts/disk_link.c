/*
 * disk_link.c: what /sys tells of the way to a disk and of its temperature: speed and width of the
 * link as negotiated, and the best it could be. How fast a disk may be is told by the slower of the
 * two ends; a bad cable shows here first.
 */
#include <math.h>

#include "probe.h"
#include "zhist/unit.h"

struct link {
    const char *now, *best; /* NULL: not told */
    const char *now_source, *best_source;
};

static const char *told(const char *text) {
    return text && strcmp(text, "Unknown") && strcmp(text, "<unknown>") ? text : NULL;
}

/* "8.0 GT/s PCIe x4" of a PCI device. */
static const char *pci(struct probe *p, const char *dir, const char *which, const char **source) {
    const char *unused = "";
    const char *speed = disk_attribute(p, dir, arena_fmt(p->a, "%s_link_speed", which), source);
    const char *width = disk_attribute(p, dir, arena_fmt(p->a, "%s_link_width", which), &unused);
    return told(speed) && width ? arena_fmt(p->a, "%s x%s", speed, width) : told(speed);
}

/* nvme: `device` is the controller, whose own is the PCI device; where a namespace has several
 * paths it is the subsystem, with the controllers as links in it. */
static void nvme(struct probe *p, const char *sys, struct link *l) {
    const char *dir = arena_fmt(p->a, "%s/device/device", sys), **names;
    l->now = pci(p, dir, "current", &l->now_source);
    size_t n = l->now ? 0 : probe_list(p, arena_fmt(p->a, "%s/device", sys), &names);
    for (size_t i = 0; i < n && !l->now; i++) {
        if (strncmp(names[i], "nvme", 4) || !names[i][4] ||
            strspn(names[i] + 4, "0123456789") != strlen(names[i] + 4))
            continue;
        dir = arena_fmt(p->a, "%s/device/%s/device", sys, names[i]);
        l->now = pci(p, dir, "current", &l->now_source);
    }
    l->best = pci(p, dir, "max", &l->best_source);
}

static void sata(struct probe *p, const char *sys, struct link *l) {
    const char *at = strstr(sys, "/ata");
    if (!at)
        return;
    const char *port = arena_copy(p->a, at + 4, strspn(at + 4, "0123456789"));
    const char *dir = arena_fmt(p->a, "/sys/class/ata_link/link%s", port);
    l->now = told(disk_attribute(p, dir, "sata_spd", &l->now_source));
    l->best = told(disk_attribute(p, dir, "hw_sata_spd_limit", &l->best_source));
}

/* The phys of the port the disk hangs on lie beside it: port-0:1/phy-0:1 and
 * port-0:1/end_device-0:1 (drivers/scsi/scsi_transport_sas.c); a wide port has several. */
static void sas(struct probe *p, const char *sys, struct link *l) {
    const char *at = strstr(sys, "/end_device-"), **names;
    if (!at)
        return;
    size_t width = 0, n = probe_list(p, arena_copy(p->a, sys, (size_t)(at - sys)), &names);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(names[i], "phy-", 4))
            continue;
        const char *dir = arena_fmt(p->a, "/sys/class/sas_phy/%s", names[i]), *source = "";
        const char *rate = told(disk_attribute(p, dir, "negotiated_linkrate", &source));
        if (!rate || !strstr(rate, "Gbit")) /* "Phy disabled" and the like */
            continue;
        if (!width++) {
            l->now = rate;
            l->now_source = source;
            l->best = told(disk_attribute(p, dir, "maximum_linkrate", &l->best_source));
        }
    }
    if (width > 1) {
        l->now = arena_fmt(p->a, "%s x%zu", l->now, width);
        l->best = l->best ? arena_fmt(p->a, "%s x%zu", l->best, width) : NULL;
    }
}

/* The nearest device above that has a speed: Mbit/s, 480 on a port for USB 2. */
static void usb(struct probe *p, const char *sys, struct link *l) {
    char *dir = arena_str(p->a, sys), *slash;
    while ((slash = strrchr(dir, '/')) && slash > dir && strstr(dir, "/usb") && !l->now) {
        l->now = told(disk_attribute(p, dir, "speed", &l->now_source));
        *slash = '\0';
    }
    l->now = l->now ? arena_fmt(p->a, "%s Mbps", l->now) : NULL;
}

void disk_link(struct probe *p, struct factset *set, const char *sys, const char *transport) {
    static const struct {
        const char *transport;
        void (*read)(struct probe *p, const char *sys, struct link *l);
    } ways[] = {{"nvme", nvme}, {"sata", sata}, {"sas", sas}, {"usb", usb}};
    struct link l = {0};
    const char *none =
        arena_fmt(p->a, "not told for transport %s", transport ? transport : "unknown");
    for (size_t i = 0; transport && i < LENGTH(ways); i++)
        if (!strcmp(transport, ways[i].transport))
            ways[i].read(p, sys, &l);
    fact_add(p->a, set, "link_speed", l.now, l.now ? l.now_source : none);
    fact_add(p->a, set, "link_speed_max", l.best, l.best ? l.best_source : none);
}

/*
 * Whole degrees of Celsius, rounded, of the drivers drivetemp and nvme. Theirs lies below the
 * disk's device, in a directory hwmon or not, or, of nvme before 5.16, below the PCI device.
 */
const char *disk_temperature(struct probe *p, const char *sys, const char **source) {
    static const char *const places[] = {"device/hwmon", "device", "device/device/hwmon"};
    for (size_t i = 0; i < LENGTH(places); i++) {
        const char **names, *dir = arena_fmt(p->a, "%s/%s", sys, places[i]);
        size_t n = probe_list(p, dir, &names);
        for (size_t k = 0; k < n; k++) {
            const char *sensor = arena_fmt(p->a, "%s/%s", dir, names[k]), *unused = "";
            double milli;
            if (strncmp(names[k], "hwmon", 5) || !names[k][5])
                continue;
            const char *driver = disk_attribute(p, sensor, "name", &unused);
            if (!driver || (strcmp(driver, "drivetemp") && strcmp(driver, "nvme")))
                continue;
            const char *text = disk_attribute(p, sensor, "temp1_input", source);
            bool below = text && *text == '-';
            if (text && !unit_read_number(text + below, &milli) && milli < 1e6)
                return arena_fmt(p->a, "%.0f", (below ? -milli : milli) / 1000);
        }
    }
    *source = "no sensor of drivetemp or nvme in /sys";
    return NULL;
}

/* "8.0 GT/s PCIe x4": 8b/10b below 8 GT/s, 128b/130b from there on (PCI Express Base Specification);
 * "6.0 Gbps", "12.0 Gbit": 8b/10b (SATA, SAS up to 12 Gbit/s); 22.5 Gbit: 128b/150b. */
double disk_link_rate(const struct factset *disk) {
    const char *text = fact_value(disk, "link_speed"), *width = text ? strstr(text, " x") : NULL;
    double speed;
    unsigned lanes = 1;
    char unit[8];
    if (!text || sscanf(text, "%lf %7s", &speed, unit) != 2 || speed <= 0 ||
        (width && (sscanf(width, " x%u", &lanes) != 1 || !lanes)))
        return (double)NAN;
    if (!strcmp(unit, "GT/s"))
        return speed * 1e9 * (speed < 8 ? 0.8 : 128.0 / 130) / 8 * lanes;
    if (strncmp(unit, "Gb", 2))
        return (double)NAN;
    return speed * 1e9 * (speed > 20 ? 128.0 / 150 : 0.8) / 8 * lanes;
}
