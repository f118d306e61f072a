import { spawnSync } from "node:child_process";

/** Namespaces as a container has: other process IDs, other shared memory, a loopback network of its own. */
export const namespaces = ["unshare", "--pid", "--fork", "--kill-child", "--ipc", "--net", "--mount-proc"];

const withLoopback = (script: string) => [
  ...namespaces,
  ...["sh", "-c", `ip link set lo up && ${script}`, "sh"],
];

export const container = withLoopback('exec "$@"');
export const lastingContainer = withLoopback('"$@"; exec sleep 1000');
export const sharedNetworkContainer = namespaces.filter((option) => option !== "--net");

/** Whether this process may make namespaces: as root on Linux, but not in most containers. */
export const canRunContainers =
  process.platform === "linux" && spawnSync(container[0] ?? "", [...container.slice(1), "true"]).status === 0;
