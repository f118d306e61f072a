import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { copyAccount } from "../../src/accounts/copy-account.server.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { insertLink } from "../../src/moderation/store/queue-links.server.ts";
import { reviewCleanup } from "../../src/moderation/store/review-cleanup.server.ts";
import { runAdmin } from "../support/admin.ts";
import {
  ago,
  givenChanged,
  givenDeleted,
  givenEarlier,
  givenNone,
  givenReportedNote,
  givenReportReason,
  givenShows,
  givenUsers,
} from "../support/given.ts";
import { openPage, type PlainPage } from "../support/plain-page.ts";
import { decide } from "../support/queue.ts";
import { setUpDatabase, setUpSite } from "../support/set-up.ts";
import { auditRows, countRows, storedRows, storedTexts } from "../support/stored.ts";

const database = await setUpDatabase();
const { db } = database;
await givenShows(db, [{ title: "Moth Hour" }, { title: "Ho\u0300\u0301\u0302\u0303 قمر <b>" }]);
const site = await setUpSite(database, { TRUSTED_PROXIES: "127.0.0.1", LOG_LEVEL: "debug" });
const [reporter = "", ...authors] = await givenUsers(db, 24);
const [ada = "", bo = "", cy = "", di = ""] = authors;
const NOTE = "Ada from row 3 was picked.";
let client = 0;
beforeEach(() => void client++);
afterEach(async () => {
  await givenNone(db, "queue_links", "reports", "audit");
  await givenDeleted(db, "reviews");
});

const admin = (...args: string[]) => runAdmin(database, args);

/** A browser's request for a link's page. Each test is a client of its own. */
const request = (address: string, init: RequestInit = {}, headers: Record<string, string> = {}) =>
  fetch(new URL(address, site.origin), {
    ...init,
    headers: {
      ...(init.method === "POST" ? { "Sec-Fetch-Site": "same-origin", Origin: "null" } : {}),
      ...{ "X-Forwarded-For": `192.0.2.${client}`, ...headers },
    },
  });

/** The path of a new link for a helper. */
async function createLink(name = "Mo", ...options: string[]): Promise<string> {
  const { out, err } = await admin("queue-link", name, ...options);
  expect(err).toBe("");
  return new URL(out.split("\n")[0] ?? "").pathname;
}

/** Opens a page; its links and forms lead on. */
function open(path: string): Promise<PlainPage> {
  const toUrl = (address: string) => new URL(address, `${site.origin}${path}`).href;
  return openPage(
    (address) => request(toUrl(address)),
    path,
    (address, body) => request(toUrl(address), { method: "POST", body }),
  );
}

/** A note by a user, reported by a signed-in one. Returns the report's id. */
const report = (author_id: string, changes: { notes?: string; show_id?: string; opened_at?: Date } = {}) =>
  givenReportedNote(db, {
    ...{ author_id, notes: NOTE, rule: "abusive" as const, opened_at: ago({ days: 1 }) },
    ...{ reporter_id: reporter, text: "It names <b>me</b>.", ...changes },
  });

/** The author of the note objects. */
const object = (id: string, objection: string) =>
  givenChanged(db, "reports", { decided_at: null, objection, objected_at: new Date() }, { id });

const hide = (id: string, title = "Moth Hour") => `Hide the note of report ${id}, ${title}`;
const keep = (id: string, title = "Moth Hour") => `Keep the note of report ${id}, ${title}`;
const shown: [string, string] = ["The note is shown.", "The note is hidden, and the answer still counts."];
const gone: [string, string] = [
  "The report is closed: the note is gone.",
  "The report is closed: the note is gone.",
];
const undo = (id: string, title = "Moth Hour") => `Undo the decision on report ${id}, ${title}`;
const outcome = (page: PlainPage) => `${page.status} ${page.texts("[role=status]").join()}`;
const hiddenRules = async () =>
  (await storedRows(db, "reviews", ["hidden_rule"])).map(({ hidden_rule }) => hidden_rule);

test("a link shows open reports in the queue's order, 20 at a time, and names no user", async () => {
  const ids = [];
  for (const [index, author] of authors.slice(0, 23).entries())
    ids.push(await report(author, { opened_at: ago({ days: 40 - index }) }));
  const [changed = "", long = "", objected = "", gone = ""] = ids;
  const long_text = `${"word ".repeat(199)}end`;
  await givenChanged(db, "reviews", { hidden_rule: "abusive" }, { user_id: ada });
  await givenChanged(db, "reviews", { notes: "It was another." }, { user_id: ada });
  await givenChanged(db, "reviews", { notes: long_text }, { user_id: bo });
  await object(objected, "My own\nname.");
  // In summer time, after midnight in Edinburgh alone.
  const created_at = new Date("2025-08-11T23:30Z");
  await givenChanged(db, "reviews", { created_at, audience_interaction: "very_little" }, { user_id: ada });
  const opened_at = new Date("2026-01-11T23:30Z");
  await givenChanged(db, "reports", { opened_at, anonymous_count: 2 }, { id: changed });
  const anonymous = { report_id: changed, note_id: crypto.randomUUID(), reason: "fake" } as const;
  for (let n = 1; n <= 2; n++) await givenReportReason(db, anonymous);
  await givenDeleted(db, "reviews", { user_id: di });
  const link = await createLink();
  const before = [await storedTexts(db, "reports"), await storedTexts(db, "queue_links")];
  expect((await request(link, { method: "HEAD" })).status).toBe(200);
  const response = await request(link);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "cache-control": "no-store",
    "x-robots-tag": "noindex",
    "referrer-policy": "no-referrer",
    "content-security-policy": expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-\S+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    ),
  });
  const page = await open(link);
  expect(page.texts("h3")).toEqual(ids.slice(0, 20).map((id) => `Report ${id}: Moth Hour`));
  expect(page.texts("p")).toContainEqual(expect.stringMatching(/^23 notes wait for a decision\./));
  const article = (id: string) => page.one(`[aria-labelledby=report-${id}]`);
  expect(page.texts("li")).toContain("Keep: everybody can read it; the report counts as mistaken.");
  expect(article(changed).textContent).toMatch(
    /It is from 12 August 2025 at 00:30, with the answer Very little\. It has waited since 11 January 2026 at 23:30\.[\s\S]*1 person, signed in, says:\s+It is abusive\s+2 people, not signed in, say:\s+It is fake, or by the company, 2 times\s/,
  );
  expect(article(changed).textContent).toMatch(
    /Hidden until .*\n?.*changed it since it was hidden[\s\S]*It was another\./,
  );
  expect(article(objected).textContent).toMatch(
    /It names <b>me<\/b>\.[\s\S]*Its author objects:[\s\S]*My own\nname\./,
  );
  expect(article(gone).textContent).toContain("Keep closes the report.");
  expect(article(gone).querySelectorAll("button")).toHaveLength(1);
  expect(page.texts("summary")).toEqual(["Show all"]);
  expect(article(long).querySelector("blockquote")?.textContent).toBe(long_text);
  const next = await page.follow("Next 20");
  expect(next.texts("h3")).toEqual(ids.slice(20).map((id) => `Report ${id}: Moth Hour`));
  expect((await open(`${link}?page=99`)).texts("h3")).toHaveLength(3);
  for (const { document } of [page, next])
    expect(document.documentElement.outerHTML).not.toMatch(
      new RegExp(`<script|@people|${[reporter, ...authors].join("|")}`),
    );
  expect([await storedTexts(db, "reports"), await storedTexts(db, "queue_links")]).toEqual(before);
  await givenNone(db, "reports");
  expect((await open(await createLink())).texts("p")).toContain("Nothing waits for a decision.");
});

test("a helper hides and keeps by labelled buttons, takes it back, and is named in the audit log", async () => {
  const title = "Ho\u0300\u0301\u0302 قمر <b>";
  const [first, second] = [await report(ada), await report(bo, { show_id: "show-2" })];
  const link = await createLink("Mo Nightingale");
  const hidden = await (await open(link)).press(hide(first));
  expect(outcome(hidden)).toBe("200 The note is hidden, and the answer still counts.");
  const kept = await (await open(link)).press(keep(second, title));
  expect(outcome(kept)).toBe("200 The note is shown.");
  expect(kept.texts("li > blockquote")).toEqual([NOTE, NOTE]);
  expect(await hiddenRules()).toEqual(["abusive", null].sort());
  expect(await auditRows(db)).toMatchObject([
    { action: "queue-link", details: { helper: "Mo Nightingale", days: 14 } },
    { action: "decide-report", details: { helper: "Mo Nightingale", decision: "hide", report_id: first } },
    { action: "decide-report", details: { helper: "Mo Nightingale", decision: "keep", report_id: second } },
  ]);
  expect(JSON.stringify(await copyAccount(db, ada))).toContain("decide-report");
  expect(JSON.stringify(await copyAccount(db, ada))).not.toContain("Nightingale");

  // Another helper's link neither lists nor undoes these decisions.
  const other = await open(await createLink("Pip"));
  expect(other.texts("li")).toEqual([]);
  const [decision] = await storedRows(db, "decisions", ["id"]);
  const body = new URLSearchParams({ undo: decision?.id ?? "" });
  const foreign = await request(await createLink("Pip"), { method: "POST", body });
  expect(foreign.status).toBe(409);
  expect(await foreign.text()).toContain("There is no such decision.");

  const undone = await kept.press(undo(first));
  expect(outcome(undone)).toBe("200 The decision is taken back, and the note waits again.");
  const undoing = { action: "undo-decision", details: { helper: "Mo Nightingale", report_id: first } };
  expect((await auditRows(db)).at(-1)).toMatchObject(undoing);
  await vi.waitUntil(() => site.log.some((line) => line.includes("undo-decision")), { timeout: 10_000 });
  expect(site.log.join()).not.toContain("Nightingale");
  expect(undone.texts("h3")).toEqual([`Report ${first}: Moth Hour`]);
  expect(undone.texts("li p")).toEqual(["Taken back."]);
  expect(await hiddenRules()).toEqual([null, null]);
  expect(outcome(await kept.press(undo(first)))).toContain("is taken back");
  // The operator decides again meanwhile.
  await admin("undo", (await storedRows(db, "decisions", ["id"]))[1]?.id ?? "");
  await decide(db, second, "hide");
  expect(await open(link).then((page) => page.texts("button"))).not.toContain("Undo");
});

const unseen = (why: string) => `Only its author can read it now: ${why}.`;
const keptUnseen = (why: string) => `The note is kept, but only its author sees it: ${why}.`;
const [away, apart] = ["the show is not in the list", "the author is in quarantine"];

test.each<[string, show: object, review: object, now: string, outcomes: [string, string]]>([
  ["an unlisted show", { listed: false }, {}, unseen(away), [keptUnseen(away), "The note is hidden."]],
  ["a show of next year", { year: YEAR + 1 }, {}, unseen(away), [keptUnseen(away), "The note is hidden."]],
  [
    "an unlisted show of an earlier year",
    { listed: false, year: YEAR - 1 },
    {},
    "Everybody can read it.",
    shown,
  ],
  ["a show of an earlier year", { year: YEAR - 1 }, {}, "Everybody can read it.", shown],
  [
    "an author in quarantine",
    {},
    { counted: false },
    unseen(apart),
    [keptUnseen(apart), "The note is hidden."],
  ],
  ["a hidden note", {}, { hidden_rule: "fake" }, "Hidden until somebody decides.", shown],
  ["a note that is gone", {}, { notes: null }, "The note is gone. Keep closes the report.", gone],
])("for %s, a page and its outcomes say what visitors see", async (_what, show, review, now, outcomes) => {
  onTestFinished(() => givenChanged(db, "shows", { listed: true, year: YEAR }, { id: "show-1" }));
  const ids = [await report(ada), await report(bo)];
  await givenChanged(db, "shows", { listed: true, ...show }, { id: "show-1" });
  await givenChanged(db, "reviews", { audience_interaction: "no", ...review });
  const page = await open(await createLink());
  const [first = "", second = ""] = ids;
  for (const id of ids)
    expect(page.one(`[aria-labelledby=report-${id}] h3 + p`).textContent.trim()).toBe(now);
  expect(outcome(await page.press(keep(first)))).toBe(`200 ${outcomes[0]}`);
  const press = page.texts("button").includes("Hide") ? hide(second) : keep(second);
  expect(outcome(await page.press(press))).toBe(`200 ${outcomes[1]}`);
});

test("an outcome is that of now: the note was deleted, or replaced by a kept one", async () => {
  const paths = [];
  for (const report_id of [await report(ada), await report(bo)]) {
    const { path } = await insertLink(db, { report_id });
    await (await open(path)).press(hide(report_id));
    paths.push(path);
  }
  await givenDeleted(db, "reviews", { user_id: ada });
  await givenChanged(db, "reviews", { hidden_rule: null, notes: "Kept." }, { user_id: bo });
  const outcomes = await Promise.all(paths.map(async (path) => outcome(await open(path))));
  expect(outcomes[0]).toMatch(/\d\d:\d\d\. The note was hidden, and is gone\.$/);
  expect(outcomes[1]).toMatch(/\d\d:\d\d\. The note is hidden\. Another one is in its place\.$/);
});

test("of two phones one decides, a repeated click has succeeded, and changes are shown again", async () => {
  const ids = [await report(ada), await report(bo), await report(cy), await report(di)];
  const [mo, pip] = [await open(await createLink()), await open(await createLink("Pip"))];
  const [first = "", changed = "", objected = "", gone = ""] = ids;
  const both = await Promise.all([mo.press(hide(first)), mo.press(hide(first)), pip.press(hide(first))]);
  const answers = both.map(({ status }) => status).join();
  expect(["200,200,409", "409,409,200"]).toContain(answers);
  const late = await (answers.endsWith("409") ? pip : mo).press(keep(first));
  expect(outcome(late)).toMatch(
    /^409 .*decided on this report already\. Decided on .* at \d\d:\d\d\. The note is hidden/,
  );
  expect(await countRows(db, ["decisions"])).toEqual({ decisions: 1 });

  await givenChanged(db, "reviews", { notes: "It was Bo." }, { user_id: bo });
  await object(objected, "Mine.");
  for (const [id, now] of [
    [changed, "It was Bo."],
    [objected, "Mine."],
  ] as const) {
    const conflict = await mo.press(hide(id));
    expect(outcome(conflict)).toMatch(/^409 Nothing was decided/);
    expect(conflict.texts("h3")).toEqual([`Report ${id}: Moth Hour`]);
    expect(conflict.texts("blockquote")).toContain(now);
    expect(conflict.document.body.textContent).not.toMatch(/notes? waits?/);
    expect((await conflict.follow("All that waits")).texts("h3")).toContain(`Report ${gone}: Moth Hour`);
    expect((await conflict.press(hide(id))).status).toBe(200);
  }
  await givenDeleted(db, "reviews", { user_id: di });
  expect((await mo.press(hide(gone))).status).toBe(409);
  await givenDeleted(db, "reports", { id: gone });
  const withdrawn = await mo.press(keep(gone));
  expect(outcome(withdrawn)).toMatch(/^409 .*no such report any more/);
  expect(withdrawn.texts("p")).toContain("Nothing waits for a decision.");
  expect(await countRows(db, ["decisions"])).toEqual({ decisions: 3 });
});

test("a link takes back only its last ten decisions, unless another decision followed", async () => {
  const link = await createLink();
  const ids = [];
  for (const author of authors.slice(0, 11)) ids.push(await report(author, { notes: `By ${author}` }));
  const page = await open(link);
  for (const id of ids) await page.press(hide(id));
  const after = await open(link);
  expect(after.texts("li button")).toHaveLength(10);
  const decisions = await storedRows(db, "decisions", ["id"]);
  const press = (undone: string) =>
    request(link, { method: "POST", body: new URLSearchParams({ undo: undone }) });
  expect((await press(decisions[0]?.id ?? "")).status).toBe(409);
  const [last = ""] = ids.slice(-1);
  await object(last, "No.");
  await decide(db, last, "keep");
  expect((await open(link)).texts("li button")).toHaveLength(9);
  const refused = await press(decisions[10]?.id ?? "");
  expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining("A later decision")]);
});

test("a link ends by revocation, also while its page is open, or by time, and is deleted a month later", async () => {
  const id = await report(ada);
  const [revoked, expiring] = [await createLink(), await createLink("Pip", "--days", "1")];
  const numbers = (await storedRows(db, "queue_links", ["number"])).map(({ number }) => String(number));
  expect((await admin("queue-links")).out).toMatch(
    /^\d+: Mo, until \S+Z, 0 decisions\n\d+: Pip, until \S+Z, 0 decisions\n$/,
  );
  const page = await open(revoked);
  expect(await admin("revoke-queue-link", numbers[0] ?? "")).toMatchObject({ exit: 0 });
  const revoking = { action: "revoke-queue-link", details: { link: Number(numbers[0]), helper: "Mo" } };
  expect((await auditRows(db)).at(-1)).toEqual(revoking);
  await givenEarlier(db, "queue_links", ["expires_at"], { hours: 23 });
  expect((await open(expiring)).status).toBe(200);
  await givenEarlier(db, "queue_links", ["expires_at"], { hours: 1 });
  const sentences = [expect.stringContaining("This link has ended.")];
  for (const ended of [await page.press(hide(id)), await open(revoked), await open(expiring)])
    expect([ended.status, ended.texts("main p")]).toEqual([410, sentences]);
  expect(await hiddenRules()).toEqual([null]);
  expect((await admin("queue-links")).out).toMatch(/^\d+: Mo, ended .*\n\d+: Pip, ended /);
  const refused = { exit: 1, err: expect.stringContaining("No link") };
  for (const number of [...numbers, "0", "x"])
    expect(await admin("revoke-queue-link", number)).toMatchObject(refused);
  const cleanUp = () => reviewCleanup.run({ db, payload: {}, signal: new AbortController().signal });
  await givenEarlier(db, "queue_links", ["revoked_at", "expires_at"], { days: 29 });
  await cleanUp();
  expect((await open(expiring)).status).toBe(410);
  await givenEarlier(db, "queue_links", ["revoked_at", "expires_at"], { days: 2 });
  await cleanUp();
  expect((await open(expiring)).status).toBe(404);
  expect((await admin("queue-links")).out).toBe("There are no links.\n");
});

test("no link is made without a name of one line, or for other than 1 to 90 days", async () => {
  const refuse = async (problem: string, name: string, days: string) => {
    const refused = await admin("queue-link", name, "--days", days);
    expect(refused).toMatchObject({ exit: 2, out: "", err: expect.stringContaining(problem) });
  };
  const names = ["", " \u200b", "Mo\nMallory", "Mo\u202e", "M".repeat(61)];
  for (const name of names) await refuse("one line", name, "14");
  for (const days of ["0", "91", "1.5"]) await refuse("from 1 to 90", "Mo", days);
  expect(await countRows(db, ["queue_links", "audit"])).toEqual({ queue_links: 0, audit: 0 });
});

test("the link in a message shows its report alone, and decides on no other", async () => {
  const [one, other] = [await report(ada), await report(bo)];
  const { path } = await insertLink(db, { report_id: one });
  const page = await open(path);
  expect(page.texts("h3")).toEqual([`Report ${one}: Moth Hour`]);
  const body = new URLSearchParams({ report: other, action: "hide", seen: "" });
  expect((await request(path, { method: "POST", body })).status).toBe(400);
  expect(outcome(await page.press(hide(one)))).toMatch(/^200 The note is hidden/);
  expect((await page.press(keep(one))).status).toBe(409);
  const again = await open(path);
  expect(outcome(again)).toMatch(/^200 Decided on \d+ \w+ \d{4} at \d\d:\d\d\. The note is hidden/);
  expect(again.texts("p")).toContain("Nothing waits for a decision.");
  expect((await admin("queue-links")).out).toMatch(/^\d+: message about report \d+, until /);
  await givenDeleted(db, "reports", { id: one });
  expect((await open(path)).status).toBe(404);
});

test("forms of other sites are refused, guesses are limited before any query, and no log has a token", async () => {
  const id = await report(ada);
  const link = await createLink();
  const seen = (await open(link)).one("[name=seen]").getAttribute("value") ?? "";
  const body = new URLSearchParams({ report: id, action: "hide", seen });
  const foreign: Record<string, string>[] = [
    { "Sec-Fetch-Site": "cross-site", Origin: "null" },
    { "Sec-Fetch-Site": "same-site", Origin: "null" },
    { "Sec-Fetch-Site": "cross-site", Origin: site.origin },
    { "Sec-Fetch-Dest": "iframe" },
  ];
  for (const headers of foreign)
    expect((await request(link, { method: "POST", body }, headers)).status).toBe(403);
  const tooLarge = `action=hide&report=${"9".repeat(19)}&seen=`;
  for (const form of ["", "action=ban&report=1&seen=", tooLarge, "undo=x"])
    expect((await request(link, { method: "POST", body: new URLSearchParams(form) })).status).toBe(400);
  const broken = { "Content-Type": "multipart/form-data" };
  expect((await request(link, { method: "POST", body: "x" }, broken)).status).toBe(400);
  expect(await hiddenRules()).toEqual([null]);
  const stored = (await storedTexts(db, "queue_links")).join();
  expect(stored).not.toContain(link.slice(-43));

  const another = `${link.slice(0, -43)}${"A".repeat(43)}`;
  const malformed = ["/api/moderation/%00", "/api/moderation/..%2f"];
  for (const guess of [link.slice(0, -1), `${link}x`, another, ...malformed])
    expect((await request(guess)).status).toBe(404);
  const statuses = await Promise.all(Array.from({ length: 60 }, async () => (await request(link)).status));
  expect(statuses.filter((each) => each === 429).length).toBeGreaterThan(10);
  expect((await request(link)).status).toBe(429);
  await request(`${link}/more?token=${link}`);
  expect(site.log.join("\n")).toContain("/api/moderation/…");
  expect(site.log.join("\n")).not.toContain(link.slice(-30));
});
