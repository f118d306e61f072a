import path from "node:path";

export function embeddedPaths(dataDir: string) {
  return {
    appLock: path.join(dataDir, "app.lock"),
    cluster: path.join(dataDir, "postgres"),
    pidFile: path.join(dataDir, "postgres", "postmaster.pid"),
    /** Locked by all processes of the server. */
    clusterLock: path.join(dataDir, "postgres.lock"),
    connectionInfo: path.join(dataDir, "postgres.json"),
    log: path.join(dataDir, "postgres.log"),
    libraries: path.join(dataDir, "postgres-lib"),
  };
}
