import { html, raw } from "hono/html";
import { inventedPeople, type Person } from "./people.ts";

type Markup = ReturnType<typeof html>;
type Provider = "Google" | "GitHub";

const style = raw(`
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { max-width: 26rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
  h1 { font-size: 1.5rem; line-height: 1.2; }
  form { display: grid; gap: 0.75rem; margin: 1.5rem 0; }
  button, input[type="email"] { box-sizing: border-box; width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; font: inherit; }
  button { cursor: pointer; }
  .person { text-align: start; }
  .person span { display: block; font-size: 0.875rem; }
  .check { display: flex; gap: 0.5rem; align-items: center; min-height: 2.75rem; }
  .check input { width: 1.25rem; height: 1.25rem; margin: 0; }
  .problem { font-weight: bold; }
`);

function page(provider: Provider, content: Markup): Markup {
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${provider} (fake)</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>${provider} (fake)</h1>
${content}
</main>
</body>
</html>`;
}

interface SignInPage {
  provider: Provider;
  site: string;
  email?: string;
  problem?: string;
}

/** Its forms post to the page's own URL. */
export function signInPage({ provider, site, email = "", problem }: SignInPage): Markup {
  return page(
    provider,
    html`<p>This is a fake ${provider} on this machine. It accepts any e-mail address.</p>
<p>Who signs in to <strong>${site}</strong>?</p>
<form method="post">${inventedPeople.map(personButton)}</form>
<form method="post">
${problem ? html`<p class="problem" role="alert">${problem}</p>` : ""}
<label>E-mail <input type="email" name="email" value="${email}" autocomplete="off" required></label>
<label class="check"><input type="checkbox" name="verified" value="yes" checked> E-mail is verified</label>
${provider === "Google" ? signedInBefore : ""}
<button name="action" value="continue">Continue</button>
<button name="action" value="deny" formnovalidate>Deny</button>
<button name="action" value="fail" formnovalidate>Fail</button>
</form>`,
  );
}

/** With a session of its own, Google asks for no password. */
const signedInBefore = html`<label class="check"><input type="checkbox" name="before" value="yes"> Was signed in to Google since yesterday</label>`;

function personButton({ name, email, verified }: (typeof inventedPeople)[number]): Markup {
  const remark = verified ? "" : " (e-mail not verified)";
  return html`<button class="person" name="person" value="${email}">${name}${remark} <span>${email}</span></button>`;
}

/** For a sign-in that can neither continue nor return to a site. */
export function errorPage(provider: Provider, problem: string): Markup {
  return page(provider, html`<p class="problem" role="alert">${problem}</p>`);
}

/** Null without a valid e-mail address. */
export type Choice =
  | { kind: "continue"; person: Person; wasSignedIn: boolean }
  | { kind: "deny" }
  | { kind: "fail" }
  | null;

export function readChoice(form: URLSearchParams): Choice {
  const invented = inventedPeople.find(({ email }) => email === form.get("person"));
  if (invented) return { kind: "continue", person: invented, wasSignedIn: false };
  const action = form.get("action");
  if (action === "deny" || action === "fail") return { kind: action };
  const email = form.get("email")?.trim() ?? "";
  return /^[^\s@]+@[^\s@]+$/.test(email)
    ? {
        kind: "continue",
        person: { email, verified: form.get("verified") === "yes" },
        wasSignedIn: form.get("before") === "yes",
      }
    : null;
}

export const invalidEmail = "That is no e-mail address.";
