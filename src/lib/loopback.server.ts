import { isIPv4 } from "node:net";

export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, "");
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === "::1" ||
    (isIPv4(name) && name.startsWith("127."))
  );
}
