import path from "node:path";

/** No port: `pg` adds a number to the name of a socket. */
export const SOCKET_PORT = 5432;

/** Paths of the embedded server's files in a data folder. */
export function embeddedPaths(dataDir: string) {
  return {
    /** Locked by the process that uses the folder. */
    appLock: path.join(dataDir, "app.lock"),
    cluster: path.join(dataDir, "postgres"),
    /** Has the process ID of the server, and its state. */
    pidFile: path.join(dataDir, "postgres", "postmaster.pid"),
    /** Locked by all processes of the server. */
    clusterLock: path.join(dataDir, "postgres.lock"),
    connectionInfo: path.join(dataDir, "postgres.json"),
    log: path.join(dataDir, "postgres.log"),
    /** Where the server is reached from other containers. */
    socket: path.join(dataDir, `.s.PGSQL.${SOCKET_PORT}`),
    libraries: path.join(dataDir, "postgres-lib"),
  };
}
