import { Hono } from "hono";
import type { IdentityFaults } from "./faults.ts";
import type { Grant } from "./github-tokens.ts";
import { accountNumber, type Person } from "./people.ts";

interface Variables {
  grant: Grant;
}

/** `/user` and `/user/emails`, for requests with a User-Agent and a token. */
export function createGithubApi(
  bearerOf: (token: string) => Grant | undefined,
  faults: IdentityFaults,
): Hono<{ Variables: Variables }> {
  const api = new Hono<{ Variables: Variables }>();
  api.use(async ({ req, json, text, set }, next) => {
    if (!req.header("user-agent")) return text(withoutUserAgent, 403);
    const authorization = req.header("authorization");
    if (!authorization) return json({ message: "Requires authentication", status: "401" }, 401);
    const grant = bearerOf(authorization.replace(/^(bearer|token) /i, ""));
    if (!grant) return json({ message: "Bad credentials", status: "401" }, 401);
    set("grant", grant);
    return next();
  });
  api.get("/user", ({ json, var: { grant } }) => {
    const user = userOf(grant.person);
    return json(faults.change.user ? faults.change.user(user) : user);
  });
  api.get("/user/emails", ({ json, var: { grant } }) => {
    if (!grant.scopes.some((scope) => scope === "user:email" || scope === "user")) {
      return json({ message: "Not Found", status: "404" }, 404);
    }
    const emails = emailsOf(grant.person);
    return json(faults.change.emails ? faults.change.emails(emails) : emails);
  });
  return api;
}

const withoutUserAgent =
  "Request forbidden by administrative rules. Please make sure your request has a User-Agent header.";

/** The response of `GET /user` without a public e-mail address. */
function userOf({ email }: Person): Record<string, unknown> {
  const login = loginOf(email);
  return {
    login,
    id: accountNumber("GitHub", email),
    html_url: `https://github.example/${login}`,
    type: "User",
    site_admin: false,
    name: null,
    email: null,
  };
}

/** Includes the verified no-reply address that every account has for commits. */
function emailsOf({ email, verified }: Person): Record<string, unknown>[] {
  const noReply = `${accountNumber("GitHub", email)}+${loginOf(email)}@users.noreply.github.example`;
  return [
    { email, primary: true, verified, visibility: "private" },
    { email: noReply, primary: false, verified: true, visibility: null },
  ];
}

/** GitHub allows letters, digits and single hyphens, at most 39 characters. */
function loginOf(email: string): string {
  const [name = ""] = email.toLowerCase().split("@");
  return (
    name
      .replace(/[^a-z0-9]+/g, "-")
      .slice(0, 39)
      .replace(/^-|-$/g, "") || "somebody"
  );
}
