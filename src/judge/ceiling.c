/*
 * ceiling.c: the most that this hardware can move. A rate above it did not come from the disks,
 * whatever else is known.
 *
 * By what the profile says of the hardware, else by what the disks are, else by the most that this
 * host was ever seen to move. All numbers are upper bounds: layouts are taken at their best.
 */
#include <math.h>
#include <string.h>

#include "zhist/witness.h"

/* The fastest data sheets and links, bytes a second. Disks that turn: 285 MB/s on the outer tracks
 * (24 TB, 2024). SATA 6 Gbit/s with 8b/10b and its frames: 560 MB/s. SAS 12 Gbit/s: 1200 MB/s.
 * PCIe 5.0 x4 at 128b/130b: 15.75 GB/s. */
static const double HDD = 300e6, SSD_SATA = 560e6, SSD_SAS = 1200e6, NVME = 15.75e9;
/* Clocks, caches inside disks, the last write still on its way. */
static const double TOLERANCE = 1.05;
/* Below this, ratio is compression; above, nothing but zeros does it. */
static const double COMPRESSED = 1.05, ZEROS = 50;

const char *const ceiling_sources[CEILING_SOURCES] = {
    "nothing is known of the hardware", "what the profile says that the disks can do",
    "what the network link can do", "what such disks can do",
    "the most this host was ever seen to move"};

const char *const too_fast_why[TOO_FASTS] = {
    "possible",
    "the bytes came from memory",
    "the bytes were still in memory when the clock stopped",
    "the bytes were compressed, fewer of them reached the disks",
    "the bytes were zeros, hardly any of them reached the disks",
    "what moved them is not known: most likely memory"};

/* ---- the disks ------------------------------------------------------------------------------- */

static double disk_rate(const struct ceiling_disk *d) {
    switch (d->media) {
    case MEDIA_HDD:
        return fmin(HDD, d->link);
    case MEDIA_SSD:
        return fmin(d->sas ? SSD_SAS : SSD_SATA, d->link);
    case MEDIA_NVME:
        return d->link > 0 ? d->link : NVME;
    case MEDIA_UNKNOWN:
    case MEDIAS:
        break;
    }
    return (double)NAN;
}

/* All of them can be read at once: both halves of a mirror, and parity is not read. */
static double disks_rate(const struct ceiling_ask *ask) {
    double sum = ask->n_disks ? 0 : (double)NAN;
    for (size_t i = 0; i < ask->n_disks; i++)
        sum += disk_rate(&ask->disks[i]);
    return sum;
}

/* Share of the disks that hold data and not its copy or parity, at best. */
static double data_share(const char *layout, double disks) {
    const char *raidz = layout ? strstr(layout, "raidz") : NULL;
    const char *draid = layout ? strstr(layout, "draid") : NULL;
    if (layout && strstr(layout, "mirror"))
        return 0.5;
    if (!raidz && !draid)
        return 1;
    char digit = raidz ? raidz[5] : draid[5];
    double parity = digit >= '1' && digit <= '3' ? digit - '0' : 1;
    return disks > parity ? (disks - parity) / disks : 1;
}

/* expansion: what the layout that was found multiplies; it knows logs and special devices apart. */
static struct ceiling of_disks(double rate, double disks, const char *layout, double expansion,
                               enum ceiling_source source) {
    double share = expansion >= 1 ? 1 / expansion : data_share(layout, disks);
    return (struct ceiling){rate, rate * share, source};
}

static struct ceiling of_storage(const struct ceiling_ask *ask) {
    const struct hardware_spec *h = ask->hardware;
    const char *layout = h && h->layout ? h->layout : ask->layout;
    double disks = h && h->disks > 0 ? (double)h->disks : (double)ask->n_disks;
    if (h && h->disk_throughput > 0 && disks > 0)
        return of_disks(h->disk_throughput * disks, disks, layout, ask->expansion,
                        CEILING_DECLARED);
    double rate = disks_rate(ask);
    if (ask->storage != STORAGE_NETWORK && rate > 0)
        return of_disks(rate, (double)ask->n_disks, layout, ask->expansion, CEILING_DISKS);
    if (ask->storage != STORAGE_NETWORK && ask->seen > 0)
        return (struct ceiling){ask->seen, ask->seen, CEILING_SEEN};
    return (struct ceiling){(double)NAN, (double)NAN, CEILING_NONE};
}

/* Behind a network the narrower of the two: the profile may tell what disks the server has. */
struct ceiling ceiling_of(const struct ceiling_ask *ask) {
    const struct hardware_spec *h = ask->hardware;
    if (ask->storage == STORAGE_MEMORY)
        return (struct ceiling){(double)NAN, (double)NAN, CEILING_NONE};
    struct ceiling c = of_storage(ask);
    double wire = h && h->network > 0 ? h->network : ask->network;
    if (ask->storage == STORAGE_NETWORK && wire > 0 && !(c.read <= wire))
        return (struct ceiling){wire, wire, CEILING_NETWORK};
    return c;
}

/* ---- the judgement --------------------------------------------------------------------------- */

/* The ceiling is for bytes that are stored: what compresses away needs no disk. */
enum too_fast ceiling_judge(const struct ceiling *c, double rate, bool reads, bool durable,
                            enum cache_class class, double ratio) {
    double limit = TOLERANCE * (reads ? c->read : c->write);
    double fewer = c->source == CEILING_NETWORK || !(ratio > 1) ? 1 : ratio;
    if (!(rate > limit))
        return TOO_FAST_NOT;
    if (reads && (class == CACHE_CACHED || class == CACHE_PARTIAL))
        return TOO_FAST_MEMORY;
    if (fewer > ZEROS)
        return TOO_FAST_ZEROS;
    if (rate / fewer <= limit)
        return fewer > COMPRESSED ? TOO_FAST_COMPRESSION : TOO_FAST_NOT;
    if (!reads && !durable)
        return TOO_FAST_BUFFER;
    return TOO_FAST_UNKNOWN;
}
