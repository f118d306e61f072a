import { hasMembers } from "../../lib/has-members.ts";
import { withTimeLimit } from "./api-request-client.ts";

/** In ms. */
const MAX_WAIT = 8_000;

/** Whether the site itself answers now, and no captive portal. Without it, leaving the page leads to an error page. */
export async function isSiteReachable(): Promise<boolean> {
  try {
    const signal = withTimeLimit(undefined, MAX_WAIT);
    const response = await fetch("/auth/v1/health", { cache: "no-store", signal });
    const body: unknown = await response.json();
    return hasMembers(body, "name") && body.name === "Front Row";
  } catch {
    return false;
  }
}
