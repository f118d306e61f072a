import path from "node:path";

/** `pg` looks for a socket with this number in its name. */
export const SOCKET_PORT = 5432;

export function embeddedPaths(dataDir: string) {
  return {
    appLock: path.join(dataDir, "app.lock"),
    cluster: path.join(dataDir, "postgres"),
    pidFile: path.join(dataDir, "postgres", "postmaster.pid"),
    /** Locked by all processes of the server. */
    clusterLock: path.join(dataDir, "postgres.lock"),
    connectionInfo: path.join(dataDir, "postgres.json"),
    log: path.join(dataDir, "postgres.log"),
    socket: path.join(dataDir, `.s.PGSQL.${SOCKET_PORT}`),
    libraries: path.join(dataDir, "postgres-lib"),
  };
}
