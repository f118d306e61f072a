import path from "node:path";

/** Where the parts of the embedded server lie in a data folder. */
export function embeddedPaths(dataDir: string) {
  return {
    cluster: path.join(dataDir, "postgres"),
    facts: path.join(dataDir, "postgres.json"),
    log: path.join(dataDir, "postgres.log"),
    libraries: path.join(dataDir, "postgres-lib"),
  };
}
