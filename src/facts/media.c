/*
 * media.c: what the facts of a disk say it is made of: what turns, what is flash, what is shingled.
 *
 * Pure words over facts already read. What only a hypervisor or a bridge says is not believed.
 */
#include <fnmatch.h>

#include "probe.h"

/* Disks made of software keep the names they were given whatever bus they are shown on. */
static bool made_up(const char *model) {
    static const char *const names[] = {"QEMU *", "VBOX *", "VMware *", "Virtual disk",
                                        "ORCL-VBOX*"};
    for (size_t i = 0; model && i < LENGTH(names); i++)
        if (!fnmatch(names[i], model, 0))
            return true;
    return false;
}

const char *disk_media(const struct factset *disk) {
    static const char *const believed[] = {"sata", "sas", "scsi", "nvme", "mmc", "ufs"};
    const char *transport = fact_value(disk, "transport");
    const char *rotational = fact_value(disk, "rotational");
    if (made_up(fact_value(disk, "model")))
        return NULL;
    for (size_t i = 0; transport && rotational && i < LENGTH(believed); i++)
        if (!strcmp(transport, believed[i]))
            return !strcmp(rotational, "yes") ? "hdd" : !strcmp(transport, "nvme") ? "nvme" : "ssd";
    return NULL;
}

/*
 * Drive-managed SMR: only models that their makers themselves have listed; disks that are only
 * suspected stay unknown. Against each word of the model.
 */
static const struct shingled {
    const char *model, *source;
} shingled[] = {
#define WD "a model on Western Digital's list of SMR disks"
    /* "WD Internal Client SMR HDDs", 2020_04_22_WD_SMR_SKUs_1Slide.pdf beside
     * blog.westerndigital.com/wd-red-nas-drives: WD Red of 2, 3, 4 and 6 TB, WD Blue 3.5" of 2 and
     * 6 TB, WD Blue 2.5" of 1 and 2 TB, WD Black 2.5" of 1 TB; larger EFAX and EZAZ are not */
    {"WD[2346]0EFAX*", WD},
    {"WD[26]0EZAZ*", WD},
    {"WD[12]0SPZX*", WD},
    {"WD10SPSX*", WD},
#define SEAGATE "a model on Seagate's list of SMR disks"
    /* "CMR and SMR Hard Drives", www.seagate.com/products/cmr-smr-list: BarraCuda 3.5" of 4 and
     * 8 TB. What only others say of BarraCuda 2.5", of 2, 3 and 6 TB, and of Archive is left out.
     */
    {"ST4000DM004*", SEAGATE},
    {"ST8000DM004*", SEAGATE},
#define TOSHIBA "a model on Toshiba's list of SMR disks"
    /* toshiba.semicon-storage.com, storage-20200428-1 of 28 April 2020: P300, DT02 and DT02-V of 4
     * and 6 TB, L200 and MQ04 of 1 and 2 TB */
    {"HDWD2[46]0*", TOSHIBA},
    {"DT02ABA[46]00*", TOSHIBA},
    {"HDWL1[12]0*", TOSHIBA},
    {"MQ04ABF100*", TOSHIBA},
    {"MQ04ABD200*", TOSHIBA},
};

static const char *listed(struct arena *a, const char *model) {
    for (const char *at = model; at && *at;) {
        size_t len = strcspn(at, " _");
        const char *word = arena_copy(a, at, len);
        for (size_t i = 0; i < LENGTH(shingled); i++)
            if (!fnmatch(shingled[i].model, word, 0))
                return shingled[i].source;
        at += len + (at[len] != '\0');
    }
    return NULL;
}

void disk_smr(struct probe *p, struct factset *disk) {
    const char *media = disk_media(disk), *model = fact_value(disk, "model");
    const char *zoned = fact_value(disk, "zoned"), *transport = fact_value(disk, "transport");
    const char *discard = fact_value(disk, "discard"), *list = listed(p->a, model);
    bool hdd = media && !strcmp(media, "hdd"),
         own = hdd && (!strcmp(transport, "sata") || !strcmp(transport, "sas"));
    const char *value = NULL, *source;
    if (media && !hdd) {
        value = "no";
        source = "flash has no tracks";
    } else if (hdd && zoned && !strncmp(zoned, "host-", 5)) {
        value = "yes";
        source = arena_fmt(p->a, "queue/zoned: %s", zoned);
    } else if (list) {
        value = "yes";
        source = list;
    } else if (own && discard && !strcmp(discard, "yes")) {
        value = "yes"; /* what is written in tracks of its own has no use for TRIM */
        source = "it turns and takes TRIM, as only SMR disks do";
    } else {
        source = hdd ? "it turns, and is on no maker's list of SMR disks"
                     : "what it is made of is not known";
    }
    fact_add(p->a, disk, "smr", value, source);
}
