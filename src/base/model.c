/*
 * model.c: the tables of names behind model.h; the one list of phases, engines, metrics.
 * Parsers, help, storage and reports take their words from here.
 */
#include "zhist/model.h"

#define FILE_KIND (1u << KIND_FILE)
#define SET_KIND (1u << KIND_FILESET)
#define FIO_KIND (1u << KIND_FIO)

const char *const kind_names[KINDS] = {"file", "fileset", "fio"};

const struct phase_info phases[PHASES] = {
    [PHASE_WRITE] = {"write", FILE_KIND, false, true, false, true},
    [PHASE_READ] = {"read", FILE_KIND | SET_KIND, true, false, false, true},
    [PHASE_REWRITE] = {"rewrite", FILE_KIND, false, true, false, true},
    [PHASE_RANDREAD] = {"randread", FILE_KIND, true, false, true, true},
    [PHASE_RANDWRITE] = {"randwrite", FILE_KIND, false, true, true, true},
    [PHASE_MIXED] = {"mixed", FILE_KIND, true, true, true, true},
    [PHASE_CREATE] = {"create", SET_KIND, false, true, false, true},
    [PHASE_LIST] = {"list", SET_KIND, true, false, false, true},
    [PHASE_STAT] = {"stat", SET_KIND, true, false, false, true},
    [PHASE_RENAME] = {"rename", SET_KIND, false, true, false, true},
    [PHASE_DELETE] = {"delete", SET_KIND, false, true, false, true},
    [PHASE_JOB] = {"job", FIO_KIND, true, true, false, false},
};

const char *const engine_names[ENGINES] = {"psync", "uring", "null"};
const char *const flush_names[FLUSHES] = {"none", "end", "each"};
const char *const cold_names[COLDS] = {"no", "try", "require"};
const char *const cache_class_names[CACHE_CLASSES] = {"unknown", "cold", "cached", "partial", "n/a"};
const char *const effect_names[EFFECTS] = {"unknown", "yes", "no", "partly"};
const char *const bound_names[BOUNDS] = {"unknown", "memory",    "disk",    "cpu",
                                         "network", "generator", "latency", "flush"};
const char *const iteration_status_names[ITERATION_STATUSES] = {"ok", "failed", "interrupted"};

const struct metric_info metrics[METRICS] = {
    [METRIC_DURATION] = {"duration", "s", -1},
    [METRIC_DURATION_DURABLE] = {"duration_durable", "s", -1},
    [METRIC_THROUGHPUT] = {"throughput", "B/s", 1},
    [METRIC_THROUGHPUT_DURABLE] = {"throughput_durable", "B/s", 1},
    [METRIC_OPS_PER_SECOND] = {"ops_per_second", "1/s", 1},
    [METRIC_FILES_PER_SECOND] = {"files_per_second", "files/s", 1},
    [METRIC_TIME_PER_FILE] = {"time_per_file", "s", -1},
    [METRIC_LAT_MEAN] = {"lat_mean", "ns", -1},
    [METRIC_LAT_P50] = {"lat_p50", "ns", -1},
    [METRIC_LAT_P95] = {"lat_p95", "ns", -1},
    [METRIC_LAT_P99] = {"lat_p99", "ns", -1},
    [METRIC_LAT_P999] = {"lat_p999", "ns", -1},
    [METRIC_LAT_MAX] = {"lat_max", "ns", -1},
    [METRIC_FLUSH_TIME] = {"flush_time", "s", -1},
    [METRIC_READ_THROUGHPUT] = {"read_throughput", "B/s", 1},
    [METRIC_READ_OPS_PER_SECOND] = {"read_ops_per_second", "1/s", 1},
    [METRIC_READ_LAT_MEAN] = {"read_lat_mean", "ns", -1},
    [METRIC_READ_LAT_P50] = {"read_lat_p50", "ns", -1},
    [METRIC_READ_LAT_P95] = {"read_lat_p95", "ns", -1},
    [METRIC_READ_LAT_P99] = {"read_lat_p99", "ns", -1},
    [METRIC_READ_LAT_P999] = {"read_lat_p999", "ns", -1},
    [METRIC_READ_LAT_MAX] = {"read_lat_max", "ns", -1},
    [METRIC_WRITE_THROUGHPUT] = {"write_throughput", "B/s", 1},
    [METRIC_WRITE_OPS_PER_SECOND] = {"write_ops_per_second", "1/s", 1},
    [METRIC_WRITE_LAT_MEAN] = {"write_lat_mean", "ns", -1},
    [METRIC_WRITE_LAT_P50] = {"write_lat_p50", "ns", -1},
    [METRIC_WRITE_LAT_P95] = {"write_lat_p95", "ns", -1},
    [METRIC_WRITE_LAT_P99] = {"write_lat_p99", "ns", -1},
    [METRIC_WRITE_LAT_P999] = {"write_lat_p999", "ns", -1},
    [METRIC_WRITE_LAT_MAX] = {"write_lat_max", "ns", -1},
    [METRIC_CACHED_PCT] = {"cached_pct", "%", 0},
    [METRIC_DIRECT_PCT] = {"direct_pct", "%", 0},
    [METRIC_WRITE_EXPANSION] = {"write_expansion", "ratio", 0},
    [METRIC_REQUEST_SIZE] = {"request_size", "B", 0},
    [METRIC_DISK_REQUESTS] = {"disk_requests", "count", 0},
    [METRIC_DISK_THROUGHPUT] = {"disk_throughput", "B/s", 0},
    [METRIC_DISK_BUSY] = {"disk_busy", "share", 0},
    [METRIC_CPU_BUSY] = {"cpu_busy", "share", 0},
    [METRIC_CPU_PER_GIB] = {"cpu_per_gib", "s/GiB", -1},
    [METRIC_STORED_RATIO] = {"stored_ratio", "ratio", 0},
    [METRIC_PSI_CPU] = {"psi_cpu", "share", 0},
    [METRIC_PSI_IO] = {"psi_io", "share", 0},
    [METRIC_PSI_MEMORY] = {"psi_memory", "share", 0},
    [METRIC_ARC_SIZE] = {"arc_size", "B", 0},
    [METRIC_MEMORY_AVAILABLE] = {"memory_available", "B", 0},
    [METRIC_NETWORK_BYTES] = {"network_bytes", "B", 0},
    [METRIC_FREE] = {"free", "B", 0},
    [METRIC_TEMPERATURE] = {"temperature", "C", 0},
};

const char *const fact_class_names[FACT_CLASSES] = {"setting", "state", "name", "consequence"};
const char *const severity_names[SEVERITIES] = {"say", "class", "shape", "disturbed", "refuse"};
