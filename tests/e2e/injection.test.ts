import type { Page } from "@playwright/test";
import { type Kysely, sql } from "kysely";
import type { Schema } from "../../src/database/schema.server.ts";
import { type AccountsWorld, test as base } from "./support/accounts.ts";
import { reviewingOf } from "./support/reviewing.ts";
import { expect, once } from "./support/test.ts";

/** Texts that run `hit()` where they are taken for anything but text. */
const payloads = [
  "<script>hit()</script>",
  "</script><script>hit()</script>",
  "</title></textarea></style><script>hit()</script>",
  "<!--<script>hit()//--><script>hit()</script>",
  '"><img src=x onerror=hit()>',
  "<svg onload=hit()>",
  "<iframe srcdoc='<script>parent.hit()</script>'></iframe>",
  "<a href='javascript:hit()'>press me</a>",
  "<button autofocus onfocus=hit()>press me</button>",
  "' onmouseover='hit()' autofocus onfocus='hit()",
  "javascript:hit()//",
  "{{constructor.constructor('hit()')()}}",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that is what somebody might try
  "`${hit()}`",
  '\\");hit();//',
  '"]\\n");hit();//',
  "\u2028hit()\u2029//",
  "&lt;img src=x onerror=hit()&gt;",
];

/** All that a page might take a text for, as one that is sent. */
const everything = payloads.join(" ");

const idOf = (place: number) => `payload-${place}`;
const titleOf = (payload: string) => `Payload ${payload}`;

interface Fixtures {
  reviewing: ReturnType<typeof reviewingOf>;
  /** What has run of the texts so far, and the dialogs that opened. */
  hits: string[];
  /** Shows every text of which is one of the payloads, with notes by as many people. They are there for one test. */
  payloadShows: undefined;
}

const test = base.extend<Fixtures>({
  reviewing: ({ page }, use) => use(reviewingOf(page)),
  hits: [
    async ({ page }, use) => {
      const hits: string[] = [];
      await page.exposeFunction("hit", () => hits.push(`hit on ${page.url()}`));
      page.on("dialog", async (dialog) => {
        hits.push(`dialog: ${dialog.message()}`);
        await dialog.dismiss();
      });
      await use(hits);
      expect(hits, "nothing of the texts has run").toEqual([]);
    },
    { auto: true },
  ],
  payloadShows: async ({ world }, use) => {
    await writeShows(world.database.db);
    await untilListed(world, payloads.length);
    await use(undefined);
    await sql`delete from reviews where show_id like 'payload-%'`.execute(world.database.db);
    await sql`delete from users where email like 'payload-%'`.execute(world.database.db);
    await sql`delete from shows where id like 'payload-%'`.execute(world.database.db);
    await untilListed(world, 0);
  },
});

async function writeShows(db: Kysely<Schema>): Promise<void> {
  for (const [place, text] of payloads.entries()) {
    await sql`insert into shows (id, title, artist, venue_name, genre, description, website, year, status)
      values (${idOf(place)}, ${titleOf(text)}, ${text}, ${text}, ${text}, ${text}, ${`https://x.example/${text}`}, 2025, 'active')`.execute(
      db,
    );
    await sql`with writer as (insert into users (email) values (${`payload-${place}@people.example`}) returning id)
      insert into reviews (show_id, user_id, audience_interaction, notes)
      select ${idOf(place)}, id, 'yes', ${text} from writer`.execute(db);
  }
}

/** Has every server read its list again and waits until it finds so many of the shows. */
async function untilListed(world: AccountsWorld, count: number): Promise<void> {
  await sql`select pg_notify('shows_changed', '')`.execute(world.database.db);
  for (const { api } of world.servers) {
    await expect.poll(async () => (await (await api("/api/shows?search=payload")).json()).total).toBe(count);
  }
}

test(
  "what shows and notes hold is shown as it is, and nothing of it runs",
  once,
  async ({ page, list, reviewing, visit, payloadShows: _ }) => {
    await visit("/?search=payload");
    await expect(list.cards).toHaveCount(payloads.length);
    expect((await list.titles.allTextContents()).toSorted()).toEqual(payloads.map(titleOf).toSorted());
    for (const payload of payloads) {
      const card = list.cards.filter({ has: page.getByText(titleOf(payload), { exact: true }) });
      for (const text of [`by ${payload}`, payload])
        await expect(card.getByText(text, { exact: true }).first()).toBeVisible();
      await expect(card.getByText(payload, { exact: true })).toHaveCount(3);
      await expect(card.getByRole("link")).toHaveAttribute("href", `https://x.example/${payload}`);
      await reviewing.notesButton(card, "1 note for Yes").click();
      await expect(reviewing.openNotes(card)).toHaveText(payload);
      await page.keyboard.press("Escape");
    }
    expect(await page.locator("main :is(script, img, iframe, article button[onfocus], [onmouseover])").count()).toBe(0);
  },
);

test(
  "what is searched for is shown as it is, without scripts, and nothing of it runs",
  once,
  async ({ page, list, visit }) => {
    for (const payload of payloads) {
      await visit(`/?search=${encodeURIComponent(payload)}`);
      const searched = (await list.box.inputValue()).trim();
      expect(searched).not.toMatch(/<\/?script/i);
      if (!/script/.test(payload)) expect(searched).toBe(payload.trim());
      expect(await page.title()).toContain(searched);
    }
  },
);

test(
  "what a provider or an address says is shown as it is, and nothing of it runs",
  once,
  async ({ page, accounts, list, visit }) => {
    for (const payload of payloads) {
      await visit(`/auth?error=server_error&error_description=${encodeURIComponent(payload)}`);
      await expect(list.toasts.getByRole("alert")).toContainText(payload.trim());
    }
    const email = `<img/src=x/onerror=hit()>"'&lt;${crypto.randomUUID()}@people.example`;
    await accounts.continueWith("Google").click();
    await page.getByRole("textbox", { name: "E-mail" }).waitFor();
    await page.locator("form").evaluateAll((forms) => {
      for (const form of forms) if (form instanceof HTMLFormElement) form.noValidate = true;
    });
    await accounts.be(email);
    await expect(accounts.email(email)).toBeVisible();
    await page.reload();
    await expect(accounts.email(email)).toBeVisible();
  },
);

test(
  "what somebody reviews and writes is shown as it is, and nothing of it runs",
  once,
  async ({ page, accounts, email, list, reviewing, visit, payloadShows: _ }) => {
    await accounts.signIn(email);
    await visit("/?search=payload");
    for (const payload of payloads) {
      const card = list.cards.filter({ has: page.getByText(titleOf(payload), { exact: true }) });
      await reviewing.button(card).click();
      await expect(reviewing.dialog.getByRole("heading")).toHaveText(`Review: ${titleOf(payload)}`);
      await reviewing.notes.fill(everything);
      // Its buttons take presses a moment later only.
      await page.keyboard.press("Escape");
    }
    const card = list.cards.filter({ has: page.getByText(titleOf("<svg onload=hit()>"), { exact: true }) });
    await reviewing.button(card).click();
    await reviewing.notes.fill(everything);
    await reviewing.submit.click();
    await expect(list.toasts.getByText("Review submitted!")).toBeVisible();
    await reviewing.notesButton(card, "1 note for No").click();
    await expect(reviewing.openNotes(card)).toHaveText(everything);
    await page.reload();
    await expect(card.getByText("You reviewed this show")).toBeVisible();
  },
);

/** Puts markup into every page on its way to the browser, as a mistake in rendering would. */
async function makeMistake(page: Page, keepPolicy: boolean): Promise<void> {
  const mistake = "<script>hit()</script><img src=x onerror=hit()><svg onload=hit()></svg>";
  await page.route("**/*", async (route) => {
    if (!route.request().isNavigationRequest()) return route.continue();
    const answer = await route.fetch();
    const headers = answer.headers();
    if (!keepPolicy) delete headers["content-security-policy"];
    await route.fulfill({ headers, body: (await answer.text()).replace("</body>", `${mistake}</body>`) });
  });
}

const noPicture = [/^404: .*\/x$/, /^console error: Failed to load resource: .* 404/, /^failed: .*\/x$/];

test(
  "markup that came into a page by a mistake is kept from running by its policy",
  once,
  async ({ page, visit, problems }) => {
    problems.allow(...noPicture);
    problems.expect(
      /inline script violates.* Content Security Policy/,
      /event handler violates.* Content Security Policy/,
    );
    await makeMistake(page, true);
    await visit("/");
  },
);

test(
  "without that policy it would run, and these tests would see it",
  once,
  async ({ page, visit, hits, problems }) => {
    problems.allow(...noPicture);
    await makeMistake(page, false);
    await visit("/");
    await expect.poll(() => hits.length).toBe(3);
    hits.length = 0;
  },
);

test(
  "a script that takes a text for markup gets text, and may not make scripts of it",
  once,
  async ({ page, visit, problems }) => {
    problems.expect(/requires 'TrustedScriptURL'/);
    await visit("/");
    const refusal = await page.evaluate(() => {
      const paragraph = document.createElement("p");
      paragraph.innerHTML = "<img src=x onerror=hit()> & <b>more</b>";
      document.body.append(paragraph);
      try {
        document.createElement("script").src = "/assets/root.js";
      } catch (error) {
        return String(error);
      }
    });
    expect(refusal).toContain("TypeError");
    await expect(page.getByText("<img src=x onerror=hit()> & <b>more</b>", { exact: true })).toBeVisible();
  },
);
