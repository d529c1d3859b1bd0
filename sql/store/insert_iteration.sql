INSERT INTO iteration(run_id, target_id, workload_id, phase, ordinal, block, position, warmup,
                      started_at, duration_ns, flush_ns, bytes, ops, status, errno, cache_class,
                      bound_by)
VALUES (:run, :target, :workload, :phase, :ordinal, :block, :position, :warmup,
        :started_at, :duration, :flush, :bytes, :ops, :status, :errno, :class, :bound_by)
RETURNING id;
