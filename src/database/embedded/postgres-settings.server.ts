/** For a small machine and one application: its pool of ten connections and the commands. */
export const defaultSettings: Record<string, string> = {
  max_connections: "60",
  shared_buffers: "64MB",
  maintenance_work_mem: "32MB",
  max_wal_size: "256MB",
  max_wal_senders: "0",
  max_logical_replication_workers: "0",
  max_parallel_workers_per_gather: "0",
  io_method: "sync",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  log_line_prefix: "%m [%p] ",
  // More verbose messages would quote the stored values: e-mail addresses, notes.
  log_error_verbosity: "terse",
};
