import path from "node:path";

/** Paths of the embedded server's files in a data folder. */
export function embeddedPaths(dataDir: string) {
  return {
    cluster: path.join(dataDir, "postgres"),
    connectionInfo: path.join(dataDir, "postgres.json"),
    log: path.join(dataDir, "postgres.log"),
    libraries: path.join(dataDir, "postgres-lib"),
  };
}
