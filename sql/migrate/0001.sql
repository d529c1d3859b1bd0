-- 0001: the history as zhist 0.1 writes it. Times are ns since 1970 UTC, durations ns, sizes bytes.
-- NULL means unknown, never zero. Frozen once released: later changes are a step of their own.

CREATE TABLE profile(
    id     INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE CHECK (length(digest) = 64),
    name   TEXT NOT NULL,
    text   TEXT NOT NULL                    -- the YAML file, verbatim
) STRICT;

CREATE TABLE workload(
    id     INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE CHECK (length(digest) = 64),
    name   TEXT NOT NULL,                   -- as its newest profile calls it
    kind   TEXT NOT NULL,
    spec   TEXT NOT NULL                    -- what makes it the same workload; digest is of this
) STRICT;

CREATE TABLE requirement(
    profile_id  INTEGER NOT NULL REFERENCES profile(id),
    workload_id INTEGER NOT NULL REFERENCES workload(id),
    target      TEXT,                       -- a target's name; NULL: every target
    phase       TEXT NOT NULL,
    metric      TEXT NOT NULL,
    op          TEXT NOT NULL CHECK (op IN ('at_least', 'at_most')),
    value       REAL NOT NULL,              -- in the metric's base unit
    why         TEXT
) STRICT;
CREATE UNIQUE INDEX requirement_once
    ON requirement(profile_id, workload_id, ifnull(target, ''), phase, metric, op);

CREATE TABLE threshold(
    profile_id INTEGER NOT NULL REFERENCES profile(id),
    metric     TEXT NOT NULL,
    share      REAL NOT NULL CHECK (share > 0), -- what counts as a change: 0.05 is 5 %
    PRIMARY KEY (profile_id, metric)
) STRICT, WITHOUT ROWID;

CREATE TABLE host(
    id         INTEGER PRIMARY KEY,
    machine_id TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    alias_of   INTEGER REFERENCES host(id)  -- a reinstalled machine joined to its former self
) STRICT;

CREATE TABLE target(
    id       INTEGER PRIMARY KEY,
    host_id  INTEGER NOT NULL REFERENCES host(id),
    name     TEXT NOT NULL,
    alias_of INTEGER REFERENCES target(id),
    UNIQUE (host_id, name)
) STRICT;

CREATE TABLE run(
    id            INTEGER PRIMARY KEY,
    uuid          TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
    host_id       INTEGER NOT NULL REFERENCES host(id),
    profile_id    INTEGER REFERENCES profile(id),
    origin        TEXT NOT NULL CHECK (origin IN ('measured', 'imported', 'watch')),
    started_at    INTEGER NOT NULL,
    finished_at   INTEGER CHECK (finished_at IS NULL OR status <> 'running'),
    status        TEXT NOT NULL
                  CHECK (status IN ('running', 'done', 'failed', 'interrupted', 'refused')),
    seed          INTEGER,
    run_order     TEXT CHECK (run_order IN ('interleaved', 'sequential')),
    forced        INTEGER NOT NULL DEFAULT 0 CHECK (forced IN (0, 1)),
    excluded      TEXT,                     -- the reason; NULL: it counts
    note          TEXT,
    zhist_version TEXT,
    process       TEXT                      -- 'boot id, pid, start tick, pid namespace' of who
                                            -- measures: tells running from crashed
) STRICT;
CREATE INDEX run_by_host ON run(host_id, started_at);

CREATE TABLE label(
    run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    key    TEXT NOT NULL,
    value  TEXT NOT NULL,
    PRIMARY KEY (run_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_target(
    run_id       INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    target_id    INTEGER NOT NULL REFERENCES target(id),
    path         TEXT NOT NULL,
    fstype       TEXT,
    dataset_guid TEXT,
    pool_guid    TEXT,
    position     INTEGER NOT NULL,          -- in the profile: the first is the baseline
    PRIMARY KEY (run_id, target_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE factset(
    id     INTEGER PRIMARY KEY,
    kind   TEXT NOT NULL
           CHECK (kind IN ('system', 'module', 'pool', 'dataset', 'disk', 'mount')),
    digest TEXT NOT NULL UNIQUE CHECK (length(digest) = 64)
) STRICT;

CREATE TABLE fact(
    factset_id INTEGER NOT NULL REFERENCES factset(id),
    key        TEXT NOT NULL,
    value      TEXT,                        -- NULL: could not be read, source says why
    source     TEXT,
    class      TEXT NOT NULL CHECK (class IN ('setting', 'name', 'consequence')),
    leader     TEXT,                        -- of a consequence: the fact it follows, kind.key
    PRIMARY KEY (factset_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_factset(
    run_id     INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    target_id  INTEGER NOT NULL,            -- 0: the host
    kind       TEXT NOT NULL,
    subject    TEXT NOT NULL,               -- which pool, dataset, disk; '' for the host itself
    moment     TEXT NOT NULL CHECK (moment IN ('before', 'after')),
    factset_id INTEGER NOT NULL REFERENCES factset(id),
    PRIMARY KEY (run_id, target_id, kind, subject, moment)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_factset_by_set ON run_factset(factset_id);

CREATE TABLE run_state(
    run_id    INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    target_id INTEGER NOT NULL,             -- 0: the host
    subject   TEXT NOT NULL,                -- kind, or kind:subject
    moment    TEXT NOT NULL CHECK (moment IN ('before', 'after')),
    key       TEXT NOT NULL,
    value     TEXT,
    PRIMARY KEY (run_id, target_id, subject, moment, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE cell(
    run_id        INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    target_id     INTEGER NOT NULL REFERENCES target(id),
    workload_id   INTEGER NOT NULL REFERENCES workload(id),
    phase         TEXT NOT NULL,
    class         TEXT NOT NULL CHECK (class IN ('cold', 'cached', 'partial', 'unknown', 'n/a')),
    direct_effect TEXT NOT NULL CHECK (direct_effect IN ('yes', 'no', 'partly', 'unknown')),
    engine_effect TEXT NOT NULL,            -- the engine that really ran
    bound_by      TEXT,
    evidence      TEXT,                     -- JSON
    stop_rule     TEXT CHECK (stop_rule IN ('fixed', 'precision', 'maximum', 'time', 'written',
                                            'steady', 'interrupted', 'failed')),
    size          INTEGER,                  -- resolved bytes of each file
    PRIMARY KEY (run_id, target_id, workload_id, phase)
) STRICT, WITHOUT ROWID;

CREATE TABLE iteration(
    id          INTEGER PRIMARY KEY,
    run_id      INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    target_id   INTEGER NOT NULL REFERENCES target(id),
    workload_id INTEGER NOT NULL REFERENCES workload(id),
    phase       TEXT NOT NULL,
    ordinal     INTEGER NOT NULL CHECK (ordinal > 0),
    block       INTEGER NOT NULL CHECK (block > 0),
    position    INTEGER NOT NULL CHECK (position >= 0),
    warmup      INTEGER NOT NULL CHECK (warmup IN (0, 1)),
    started_at  INTEGER,
    duration_ns INTEGER CHECK (duration_ns >= 0),
    flush_ns    INTEGER CHECK (flush_ns >= 0),
    bytes       INTEGER CHECK (bytes >= 0),
    ops         INTEGER CHECK (ops >= 0),
    status      TEXT NOT NULL CHECK (status IN ('ok', 'failed', 'interrupted')),
    errno       INTEGER,
    cache_class TEXT NOT NULL CHECK (cache_class IN ('cold', 'cached', 'partial', 'unknown', 'n/a')),
    bound_by    TEXT,
    UNIQUE (run_id, target_id, workload_id, phase, ordinal)
) STRICT;
CREATE INDEX iteration_by_run ON iteration(run_id);

CREATE TABLE metric(
    id     INTEGER PRIMARY KEY,
    name   TEXT NOT NULL UNIQUE,
    unit   TEXT NOT NULL,
    better INTEGER NOT NULL CHECK (better IN (-1, 0, 1))
) STRICT;

CREATE TABLE sample(
    iteration_id INTEGER NOT NULL REFERENCES iteration(id) ON DELETE CASCADE,
    metric_id    INTEGER NOT NULL REFERENCES metric(id),
    value        REAL NOT NULL,
    PRIMARY KEY (iteration_id, metric_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE disk_io(
    iteration_id INTEGER NOT NULL REFERENCES iteration(id) ON DELETE CASCADE,
    disk         TEXT NOT NULL,
    read_bytes   INTEGER,
    write_bytes  INTEGER,
    requests     INTEGER,
    busy_ns      INTEGER,
    temperature  REAL,                      -- degrees Celsius
    PRIMARY KEY (iteration_id, disk)
) STRICT, WITHOUT ROWID;

CREATE TABLE histogram(
    iteration_id INTEGER NOT NULL REFERENCES iteration(id) ON DELETE CASCADE,
    op           TEXT NOT NULL,             -- read, write
    buckets      BLOB NOT NULL,             -- the format of include/zhist/hist.h
    PRIMARY KEY (iteration_id, op)
) STRICT, WITHOUT ROWID;

CREATE TABLE tick(
    iteration_id INTEGER NOT NULL REFERENCES iteration(id) ON DELETE CASCADE,
    t_ms         INTEGER NOT NULL,          -- since the clock started
    bytes        INTEGER NOT NULL,
    ops          INTEGER NOT NULL,
    PRIMARY KEY (iteration_id, t_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE finding(
    id           INTEGER PRIMARY KEY,
    run_id       INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    target_id    INTEGER REFERENCES target(id),
    workload_id  INTEGER REFERENCES workload(id),
    phase        TEXT,
    iteration_id INTEGER REFERENCES iteration(id) ON DELETE CASCADE,
    code         TEXT NOT NULL,
    severity     TEXT NOT NULL
                 CHECK (severity IN ('say', 'class', 'shape', 'disturbed', 'refuse')),
    text         TEXT NOT NULL,
    evidence     TEXT                       -- JSON
) STRICT;
CREATE INDEX finding_by_run ON finding(run_id);
CREATE INDEX finding_by_iteration ON finding(iteration_id) WHERE iteration_id IS NOT NULL;

CREATE TABLE notice(
    key       TEXT PRIMARY KEY,
    first_at  INTEGER NOT NULL,
    mailed_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE ack(
    key  TEXT PRIMARY KEY,
    note TEXT,
    at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup(
    target_id     INTEGER NOT NULL REFERENCES target(id),
    workload_id   INTEGER NOT NULL REFERENCES workload(id),
    phase         TEXT NOT NULL,
    class         TEXT NOT NULL,
    direct_effect TEXT NOT NULL,
    origin        TEXT NOT NULL,
    metric_id     INTEGER NOT NULL REFERENCES metric(id),
    run_id        INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    everything    INTEGER NOT NULL CHECK (everything IN (0, 1)), -- 1: disturbed iterations too
    n             INTEGER NOT NULL,
    n_left_out    INTEGER NOT NULL,
    mean          REAL,
    m2            REAL,                     -- sum of squared deviations from the mean
    min           REAL,
    median        REAL,
    p95           REAL,
    max           REAL,
    pruned        INTEGER NOT NULL DEFAULT 0 CHECK (pruned IN (0, 1)),
    PRIMARY KEY (target_id, workload_id, phase, class, direct_effect, origin, metric_id, run_id,
                 everything)
) STRICT, WITHOUT ROWID;
CREATE INDEX rollup_by_run ON rollup(run_id);
