import { spawnSync } from "node:child_process";

/** The namespaces of a container: other process IDs, other shared memory, its own loopback network. */
const namespaces = ["unshare", "--pid", "--fork", "--kill-child", "--ipc", "--net", "--mount-proc"];

const withLoopback = (script: string) => [
  ...namespaces,
  ...["sh", "-c", `ip link set lo up && ${script}`, "sh"],
];

export const container = withLoopback('exec "$@"');
export const lastingContainer = withLoopback('"$@"; exec sleep 1000');
export const sharedNetworkContainer = namespaces.filter((option) => option !== "--net");

/** Root on Linux may create namespaces, but not in most containers. */
export const canRunContainers =
  process.platform === "linux" && spawnSync(container[0] ?? "", [...container.slice(1), "true"]).status === 0;
