import { accountNumber, type Person } from "./people.ts";

/** What `GET /user` says of somebody who shows no address to the public. */
export function userOf({ email }: Person): Record<string, unknown> {
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

/**
 * What `GET /user/emails` says: their address, and the verified one that everybody has there to commit with, which nobody
 * reads.
 */
export function emailsOf({ email, verified }: Person): Record<string, unknown>[] {
  const unread = `${accountNumber("GitHub", email)}+${loginOf(email)}@users.noreply.github.example`;
  return [
    { email, primary: true, verified, visibility: "private" },
    { email: unread, primary: false, verified: true, visibility: null },
  ];
}

/** A user name as the provider allows them: letters, digits and single hyphens, 39 at most. */
function loginOf(email: string): string {
  const [name = ""] = email.toLowerCase().split("@");
  return (
    name
      .replace(/[^a-z0-9]+/g, "-")
      .slice(0, 39)
      .replace(/^-|-$/g, "") || "somebody"
  );
}
