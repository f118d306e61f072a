import { expect, test, vi } from "vitest";
import { inventReviewers, sendReview } from "../../dev/harness/reviewers.ts";
import { notesPage } from "../../src/domain/notes-dto.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { givenReviews, givenShows, givenUser } from "../support/given.ts";
import { openPage } from "../support/plain-page.ts";
import { setUpDatabase, setUpRelay, setUpSite } from "../support/set-up.ts";

const MOTH = "a".repeat(40);
const QUIET = "b".repeat(40);
const GONE = "c".repeat(40);
const CHOIR = "d".repeat(40);
const TITLE = `Moths </script><b> & "Co" مسرحية 🎭`;
const ATTRIBUTE_TITLE = "Moths &#60;/script&#62;&#60;b&#62; &#38; &#34;Co&#34; مسرحية 🎭";
const ESCAPED_TITLE = "Moths &lt;/script&gt;&lt;b&gt; &amp; &quot;Co&quot; مسرحية 🎭";

const database = await setUpDatabase();
await givenShows(database.db, [
  ...Array.from({ length: 30 }, () => ({})),
  {
    ...{ id: MOTH, title: TITLE, venue_name: "The Dock", venue_address: "37 Guthrie Street, EH1 1JG" },
    performances: "2025-08-06 15:45:00/60",
  },
  { id: QUIET, title: "Quiet Evening", warnings: ["strobe lighting", "Audience participation", "R&D <1>"] },
  { id: GONE, title: "Gone", listed: false },
  { id: CHOIR, title: "Choir" },
  { id: "alike-0011", title: "Alike" },
  { id: "alike-0022", title: "Alike, gone", listed: false },
  ...["The Attic", "The Dock", null].map((venue_name, number) => {
    return { id: `twin-${number}`, title: number ? "Ghost & Co" : "GHOST & CO", artist: "Zoë", venue_name };
  }),
]);
const relay = await setUpRelay(database);
const site = await setUpSite(database, { DATABASE_URL: relay.url, TRUSTED_PROXIES: "127.0.0.1" });
const reviewers = await inventReviewers(database.db, site.origin, 5);

function get(path: string, client = "192.0.2.1", headers: Record<string, string> = {}): Promise<Response> {
  return fetch(site.origin + path, { headers: { "X-Forwarded-For": client, ...headers } });
}

const html = async (path: string) => (await get(path)).text();

async function review(number: number, interaction: string, notes: string | null): Promise<void> {
  const body = { show_id: MOTH, audience_interaction: interaction, notes };
  const sent = await sendReview(site.origin, reviewers[number] ?? expect.fail(), body);
  expect(sent.status).toBe(200);
}

function readHead(page: string) {
  const tags = page.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)"\/>/g);
  const canonical = Array.from(page.matchAll(/<link rel="canonical" href="([^"]+)"\/>/g), ([, href]) => href);
  const data = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(page)?.[1];
  return {
    tags: Object.fromEntries(Array.from(tags, ([, name, content]) => [name, content])),
    canonical,
    event: data === undefined ? undefined : JSON.parse(data),
  };
}

test("the page of a show has the listing's other warnings, and the day of its newest review in Edinburgh", async () => {
  const linesOf = async (path: string) => (await openPage(get, path)).texts("article p");
  await givenReviews(database.db, [
    { show_id: "show-7", created_at: new Date(Date.UTC(YEAR, 7, 12, 23, 30)) },
  ]);
  await vi.waitFor(
    async () => expect(await linesOf("/?show=show-7")).toContain("Newest review: 13 Aug"),
    20_000,
  );
  expect(await linesOf(`/?show=${QUIET}`)).toContain("The listing warns of: strobe lighting, R&D <1>.");
  expect((await linesOf("/?search=quiet")).join()).not.toMatch(/warns of|Newest/);
  const order = "Most recently reviewed first.";
  expect(await html("/")).toContain(order);
  expect(await html(`/?show=${QUIET}`)).not.toContain(order);
});

test("the page of a show has its notes, and a head with the texts of its card", async () => {
  await review(0, "yes", "They asked <i>me</i> to dance.");
  await review(1, "no", null);
  const page = await html(`/?show=${MOTH}`);
  expect(page).toContain(`Showing 1-1 of 1 show for ${YEAR}`);
  expect(page).toContain(">All shows</a>");
  expect(page).toContain('<p dir="auto">They asked &lt;i&gt;me&lt;/i&gt; to dance.</p>');
  const url = `${site.origin}/?show=${MOTH}`;
  expect(page).toContain(`<title>${ESCAPED_TITLE} – Front Row?</title>`);
  const description =
    "Audience interaction: most common Yes, tied with No. Only 2 people have said so far. Listing: no warnings given.";
  const { tags, canonical, event } = readHead(page);
  expect(canonical).toEqual([url]);
  expect(tags).toMatchObject({
    description,
    "og:title": ESCAPED_TITLE,
    "og:description": description,
    "og:url": url,
    "og:image": expect.stringMatching(`^${site.origin}/api/shows/${MOTH}/preview.png\\?v=[\\w-]{22}$`),
    "twitter:card": "summary_large_image",
  });
  expect(tags).not.toHaveProperty("robots");
  const location = { "@type": "Place", name: "The Dock", address: "37 Guthrie Street, EH1 1JG" };
  const endDate = "2025-08-06T16:45:00+01:00";
  expect(event).toMatchObject({ "@type": "Event", name: TITLE, url, location, endDate });
});

test("of shows with one title and artist, title, preview and API name the venue", async () => {
  for (const [number, title] of ["GHOST & CO, The Attic", "Ghost & Co, The Dock", "Ghost & Co"].entries()) {
    const id = `twin-${number}`;
    const { tags } = readHead(await html(`/?show=${id}`));
    const escaped = title.replace("&", "&amp;");
    expect([tags["og:title"], tags["og:image:alt"]?.startsWith(`${escaped}. `)]).toEqual([escaped, true]);
    const page = await openPage(get, `/?show=${id}`);
    expect(page.document.title).toBe(`${title} – Front Row?`);
    expect((await openPage(get, `/?show=${id}&notes=yes`)).document.title).toBe(
      `${title}, Notes for Yes – Front Row?`,
    );
    expect((await (await site.api(`/api/shows?show=${id}`)).json()).shows).toMatchObject([
      { has_namesake: true },
    ]);
  }
});

test("other parameters change nothing, and the ETag is valid until a review changes the page", async () => {
  const page = await get(`/?show=${MOTH}`);
  const etag = page.headers.get("etag") ?? "";
  const same = await get(`/?page=7&show=${MOTH}&search=cats&utm_source=poster`);
  expect(same.headers.get("etag")).toBe(etag);
  expect((await get(`/?show=${MOTH}`, undefined, { "If-None-Match": etag })).status).toBe(304);
  // A new note without another interaction changes no tally.
  await review(0, "yes", "They asked me twice.");
  await vi.waitFor(async () => {
    const changed = await get(`/?show=${MOTH}`, undefined, { "If-None-Match": etag });
    expect(changed.status).toBe(200);
    expect(await changed.text()).toContain("They asked me twice.");
  }, 1_000);
});

test("an unknown and a delisted show are 404, with the empty list, and not indexed", async () => {
  for (const id of ["nothing", GONE, "%F0%9F%8E%AD%00"]) {
    const response = await get(`/?show=${id}`);
    expect(response.status).toBe(404);
    const page = await response.text();
    expect(page).toContain("No shows found");
    expect(page).toContain("Shows are updated every 12 hours.");
    expect(page).not.toContain(id);
    expect(readHead(page)).toMatchObject({ tags: { robots: "noindex" }, event: undefined });
    expect((await get(`/api/shows/${id}/preview.png`)).status).toBe(404);
    expect((await get(`/?show=${id}&notes=no`)).status).toBe(404);
    expect((await site.api(`/api/reviews?show_id=${id}&answer=no`)).status).toBe(404);
    expect((await (await site.api(`/api/shows?show=${id}`)).json()).total).toBe(0);
  }
});

test("the beginning of an id, of 8 characters or more, leads to its show (docs/product.md §2.25)", async () => {
  const leadsTo = async (query: string) => {
    const response = await fetch(`${site.origin}/?show=${query}`, { redirect: "manual" });
    const { shows, short_id } = await (await site.api(`/api/shows?show=${query}`)).json();
    return [response.status, response.headers.get("location"), shows[0]?.id, short_id];
  };
  const start = QUIET.slice(0, 8);
  for (const longer of [start, QUIET.slice(0, 11), QUIET.slice(0, 9).toUpperCase()])
    expect(await leadsTo(longer)).toEqual([302, `/?show=${QUIET}`, QUIET, start]);
  const others = "&notes=no&page=2";
  expect(await leadsTo(`${start}${others}&search=x`)).toEqual([
    302,
    `/?show=${QUIET}${others}`,
    QUIET,
    start,
  ]);
  for (const none of [QUIET.slice(0, 7), "alike-00", "alike-002", `${QUIET}0`, "%00".repeat(8)])
    expect(await leadsTo(none)).toEqual([404, null, undefined, undefined]);
  expect(await leadsTo("alike-001")).toEqual([302, "/?show=alike-0011", "alike-0011", "alike-001"]);
});

test("every state of the list has its canonical address, and only the first page is indexed", async () => {
  const states = {
    "/": "/",
    "/?utm_source=poster": "/",
    "/?page=2": "/?page=2",
    "/?page=99": "/?page=2",
    "/?interaction=yes&interaction=no&search=+show+": "/?search=show&amp;interaction=no&amp;interaction=yes",
    "/?yes=none&announced=yes": "/?announced=yes&amp;yes=none",
    "/?yes=some&notes=no": "/",
    "/auth": "/auth",
    "/terms": "/terms",
    "/privacy": "/privacy",
  };
  for (const [path, canonical] of Object.entries(states)) {
    const head = readHead(await html(path));
    expect(head.canonical).toEqual([site.origin + canonical]);
    expect(head.tags.robots).toBe(canonical.includes("?") ? "noindex" : undefined);
    expect(head.tags.description).toMatch(/^Will they pick on you\?/);
    expect("og:image" in head.tags).toBe(!canonical.includes("?"));
  }
});

test("robots.txt names the sitemap, which has the listed shows", async () => {
  expect(await html("/robots.txt")).toContain(`Sitemap: ${site.origin}/sitemap.xml\n`);
  const response = await get("/sitemap.xml");
  expect(response.headers.get("content-type")).toBe("application/xml; charset=utf-8");
  const etag = response.headers.get("etag") ?? "";
  expect((await get("/sitemap.xml", undefined, { "If-None-Match": etag })).status).toBe(304);
  const entries = (await response.text()).matchAll(/<url><loc>(.*?)<\/loc><\/url>/g);
  const paths = Array.from(entries, ([, loc = ""]) => loc.slice(site.origin.length));
  expect(paths).toHaveLength(38);
  expect(paths).toEqual(expect.arrayContaining(["/", `/?show=${QUIET}`, `/?show=${MOTH}`]));
  expect(paths).not.toContain(`/?show=${GONE}`);
});

const pictureOf = async (page: string) => new URL(readHead(await html(page)).tags["og:image"] ?? "");

/** Expects a PNG of the right size that other sites may show. Returns its ETag. */
/** A busy machine may draw none in time, and keeps it for the next request. */
async function expectPicture(path: string): Promise<string> {
  let response = await get(path, "192.0.2.2");
  while (response.status === 503) response = await get(path, "192.0.2.2");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("image/png");
  expect(response.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
  const picture = Buffer.from(await response.arrayBuffer());
  expect(picture.subarray(1, 4).toString()).toBe("PNG");
  expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1200, 630]);
  expect(picture.length).toBeLessThan(200_000);
  return response.headers.get("etag") ?? "";
}

test("a preview is a small PNG for other sites, and its address and ETag change with the card", async () => {
  const { pathname, search } = await pictureOf(`/?show=${MOTH}`);
  const etag = await expectPicture(pathname + search);
  expect((await get(pathname + search, "192.0.2.2", { "If-None-Match": etag })).status).toBe(304);
  await review(2, "very_little", null);
  const changed = await vi.waitFor(async () => {
    const address = await pictureOf(`/?show=${MOTH}`);
    expect(address.search).not.toBe(search);
    return address;
  }, 5_000);
  expect(changed.pathname).toBe(pathname);
  const current = await expectPicture(changed.pathname + changed.search);
  expect(current).not.toBe(etag);
  // Older addresses, with another digest or none, have the current picture.
  for (const path of [pathname + search, pathname])
    expect((await get(path, "192.0.2.2", { "If-None-Match": current })).status).toBe(304);
  const start = await pictureOf("/");
  await expectPicture(start.pathname + start.search);
  expect(await html("/robots.txt")).toContain(`Allow: ${start.pathname}\n`);
});

test("no comment separates two texts: where a proxy removes comments, they would merge", async () => {
  await review(4, "no", null);
  for (const path of ["/", "/?search=show", `/?show=${MOTH}`, "/?search=nothing+at+all", "/auth"])
    expect(await html(path), path).not.toContain("<!-- -->");
});

test("a client gets 60 previews a minute, independent of others", async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 61; n++)
    statuses.push((await get("/api/shows/nothing/preview.png", "192.0.2.3")).status);
  expect(statuses).toEqual([...Array(60).fill(404), 429]);
  const refused = await get("/api/shows/nothing/preview.png", "192.0.2.3");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await get("/api/shows/nothing/preview.png", "192.0.2.4")).status).toBe(404);
});

/** Newest first, mixed with hidden ones. */
const choirNotes = Array.from({ length: 43 }, (_, index) => `Nobody <b>sang</b> ${index + 1}.`);

async function givenChoir(): Promise<void> {
  const quarantined = await givenUser(database.db, { quarantined_at: new Date() });
  const no = { audience_interaction: "no" as const };
  const hidden = { notes: "Secret", hidden_rule: "fake" as const };
  const secrets = [{ notes: null }, hidden, { ...hidden, removal: "note" as const }];
  const reviews = [
    ...secrets.map((row) => ({ ...no, ...row })),
    { ...no, notes: "Secret", user_id: quarantined },
    ...choirNotes.map((notes) => ({ ...no, notes })),
    ...[...Array(5).fill({ notes: "Yes." }), ...secrets],
  ];
  const at = (age: number) => ({ show_id: CHOIR, created_at: new Date(Date.UTC(YEAR, 7, 20, 12, -age)) });
  const rows = reviews.map((row, age) => ({ ...at(age), ...row }));
  await givenReviews(database.db, rows);
  const shows = async () => (await (await site.api(`/api/shows?show=${CHOIR}`)).json()).shows;
  await vi.waitFor(async () => expect(await shows()).toMatchObject([{ reviews: { no: 46, yes: 8 } }]), 5_000);
}

async function notesOf(answer: string, page = "") {
  const response = await site.api(`/api/reviews?show_id=${CHOIR}&answer=${answer}${page && `&page=${page}`}`);
  return notesPage.parse(await response.json());
}

test("all notes for an interaction are read in pages, newest first, without hidden ones", async () => {
  await givenChoir();
  for (const [page, shown, first, last] of [
    ["", 1, 0, 20],
    ["2", 2, 20, 40],
    ["3", 3, 40, 43],
    ["99999999999999999999", 3, 40, 43],
  ] as const) {
    const expected = choirNotes.slice(first, last);
    const { notes, ...found } = await notesOf("no", page);
    expect(found).toEqual({ page: shown, page_size: 20, total: 43 });
    expect(notes.map((note) => note.notes)).toEqual(expected);
    const address = `/?show=${CHOIR}&notes=no${page && `&page=${page}`}`;
    const screen = await openPage(get, address);
    expect(screen.texts(".note-box")).toEqual(expected);
    expect(screen.texts("h4")).toEqual(["43 notes for No"]);
    expect(screen.texts(".note-list time")[0]).toBe("20 Aug");
    expect(screen.texts(".note-list button")).toHaveLength(2 * expected.length);
    const links = { Newer: shown - 1, Older: (shown + 1) % 4 };
    for (const [name, to] of Object.entries(links))
      expect(screen.texts(".notes-links a").includes(name)).toBe(to > 0);
    const part = shown > 1 ? `, Page ${shown}` : "";
    expect(screen.document.title).toBe(`Choir, Notes for No${part} – Front Row?`);
    const canonical = [`${site.origin}/?show=${CHOIR}`];
    const head = { tags: { robots: "noindex" }, canonical, event: undefined };
    expect(readHead(await html(address))).toMatchObject(head);
  }
  const show = await openPage(get, `/?show=${CHOIR}`);
  expect(show.texts(".note-box")).toEqual([...choirNotes.slice(0, 5), ...Array(5).fill("Yes.")]);
  expect(show.texts(".notes-links a")).toEqual(["All 43 notes for No"]);
  let screen = await show.follow("All 43 notes for No");
  for (const [name, address] of [
    ["Older", "&notes=no&page=2"],
    ["Newer", "&notes=no"],
    ["Back to the show", ""],
  ] as const) {
    screen = await screen.follow(name);
    expect(screen.address).toBe(`/?show=${CHOIR}${address}`);
  }
  const back = await fetch(`${site.origin}/api/reports?show=${CHOIR}&notes=no&page=2`, {
    method: "POST",
    redirect: "manual",
    headers: { "Sec-Fetch-Site": "same-origin" },
    body: new URLSearchParams({ note_id: (await notesOf("no")).notes[0]?.id ?? "", reason: "off_topic" }),
  });
  expect(back.headers.get("location")).toBe(`/?show=${CHOIR}&notes=no&page=2&report=sent`);
  expect(await notesOf("very_little")).toEqual({ page: 1, page_size: 20, total: 0, notes: [] });
  expect((await openPage(get, `/?show=${CHOIR}&notes=very_little`)).texts("h4")).toEqual([
    "0 notes for Very little",
  ]);
});

test("two shows, an unknown answer and a malformed page are an invalid query", async () => {
  const pages = ["page=0", "page=-1", "page=1.5", "page=", "page=two", "page=1&page=2"];
  for (const query of [
    ...["answer=maybe", "answer=", "answer=NO", "answer=no&answer=no", `answer=no&show_id=${MOTH}`],
    ...pages.map((page) => `answer=no&${page}`),
    ...[...pages, "page=2"],
  ]) {
    const response = await site.api(`/api/reviews?show_id=${CHOIR}&${query}`);
    expect([query, response.status, (await response.json()).code]).toEqual([query, 400, "invalid_query"]);
  }
});

test("a badge is a small picture for other sites, also of an unlisted or unknown show", async () => {
  const address = `/api/shows/${CHOIR}/badge.svg`;
  const badge = await get(`${address}?title=%3Cb%3E&x=1`);
  const text = await badge.text();
  expect(text).toContain('<title id="t">Choir: Audience interaction: No · 46 of 54</title>');
  expect(text).toBe(await html(address));
  expect(Object.fromEntries(badge.headers)).toMatchObject({
    "content-type": "image/svg+xml",
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": "public, max-age=300",
  });
  const etag = badge.headers.get("etag") ?? "";
  expect((await get(address, undefined, { "If-None-Match": etag })).status).toBe(304);
  for (const [id, status, title] of [
    [QUIET, 200, "Quiet Evening: Audience interaction: not reviewed yet"],
    [GONE, 200, "Gone: Audience interaction: not listed"],
    ["%00%ff", 404, "Front Row: Audience interaction: not listed"],
  ] as const) {
    const other = await get(`/api/shows/${id}/badge.svg`);
    expect([other.status, other.headers.get("content-type")]).toEqual([status, "image/svg+xml"]);
    expect(other.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect(await other.text()).toContain(`>${title}</title>`);
  }
  const page = await openPage(get, `/?show=${MOTH}`);
  expect(page.one(".for-website textarea").textContent).toBe(
    `<a href="${site.origin}/?show=${MOTH}"><img src="${site.origin}/api/shows/${MOTH}/badge.svg" ` +
      `alt="${ATTRIBUTE_TITLE} on Front Row: how much audience interaction?" height="28" style="max-width:100%"></a>`,
  );
  expect(page.one(".for-website code").textContent).toBe(`${site.origin}/?show=${MOTH.slice(0, 8)}`);
});

test("during a database outage the page comes without notes that are not cached, and with them again later", async () => {
  await review(3, "yes", "A kind clown.");
  relay.cut();
  const during = await get(`/?show=${CHOIR}&notes=yes`);
  expect([during.status, Number(during.headers.get("retry-after"))]).toEqual([503, 5]);
  expect(await during.text()).toContain("The notes can't be read right now. Please try again in a moment.");
  const refused = await site.api(`/api/reviews?show_id=${CHOIR}&answer=yes`);
  expect([refused.status, (await refused.json()).code]).toEqual([503, "unavailable"]);
  const page = await vi.waitFor(async () => {
    const current = await get(`/?show=${MOTH}`);
    expect(current.status).toBe(200);
    const text = await current.text();
    expect(text).toContain(`Showing 1-1 of 1 show for ${YEAR}`);
    return text;
  }, 5_000);
  expect(page).not.toContain("A kind clown.</p>");
  relay.restore();
  await vi.waitFor(async () => expect(await html(`/?show=${MOTH}`)).toContain("A kind clown."), 20_000);
});
