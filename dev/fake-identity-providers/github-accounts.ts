import { accountNumber, type Person } from "./people.ts";

/** The response of `GET /user` without a public e-mail address. */
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

/** Includes the verified no-reply address that every account has for commits. */
export function emailsOf({ email, verified }: Person): Record<string, unknown>[] {
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
