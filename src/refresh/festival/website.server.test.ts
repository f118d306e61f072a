import fc from "fast-check";
import { expect, test } from "vitest";
import { parseWebsite } from "./website.server.ts";

test.each([
  ["https://hats.example/a%20b?c=d#e", "https://hats.example/a%20b?c=d#e"],
  [" HTTP://hats.example/x ", "http://hats.example/x"],
  ["www.hats.example", "https://www.hats.example/"],
  ["Hats.co.uk:8443/a?b#c", "https://hats.co.uk:8443/a?b#c"],
  ["hats.example/mime", "https://hats.example/mime"],
  ["hats-and-herrings.scot", "https://hats-and-herrings.scot/"],
  ["https://bücher.example/é", "https://xn--bcher-kva.example/%C3%A9"],
  ["müller.de", "https://xn--mller-kva.de/"],
  // Doubled and broken schemes.
  ["https://http://hats.example/x", "http://hats.example/x"],
  ["http://http://hats.example/x", "http://hats.example/x"],
  ["https://https//hats.example", "https://hats.example/"],
  ["http://www.https://www.hats.example/", "https://www.hats.example/"],
  ["https:// https://hats.example/a", "https://hats.example/a"],
  ["http:hats.example", "http://hats.example/"],
  ["https//hats.example/b", "https://hats.example/b"],
  ["http:\\\\hats.example", "http://hats.example/"],
  ["https:///hats.example/c", "https://hats.example/c"],
  // Entities and invisible characters.
  ["https://hats.example/?a=1&amp;b=2&amp;copy=3&#038;d=4", "https://hats.example/?a=1&b=2&copy=3&d=4"],
  ["https://hats.example/?a=1&amp;amp;b=2&lt=3", "https://hats.example/?a=1&b=2&lt=3"],
  ["https://hats.example/x&nbsp;now", "https://hats.example/x"],
  ["\ufeffhttps://hats.example/\u200btick\u00adets&#8203;", "https://hats.example/tickets"],
  // Text around the address.
  ["hats.example/box office", "https://hats.example/box"],
  ["Book at https://hats.example/book, or at the door", "https://hats.example/book"],
  ["Tickets: hats.example.", "https://hats.example/"],
  ["Website:www.hats.example", "https://www.hats.example/"],
  ["(see www.hats.example/a_(b))", "https://www.hats.example/a_(b)"],
  ["https://hats.example/wiki/Hat_(show)", "https://hats.example/wiki/Hat_(show)"],
  ["<https://hats.example/x>", "https://hats.example/x"],
  ["“https://hats.example/x”", "https://hats.example/x"],
  [
    '<a href="https://hats.example/x?a=1&amp;b=2" target="_blank">Tickets</a>',
    "https://hats.example/x?a=1&b=2",
  ],
  ["[Tickets](https://hats.example/x)", "https://hats.example/x"],
  ["https://hats.example\nhttps://hats.example", "https://hats.example/"],
  ["Mail us@hats.example or go to https://herrings.example!", "https://herrings.example/"],
  ["https://hats.example/oh-yes!", "https://hats.example/oh-yes!"],
  ["https://video.example/@hats", "https://video.example/@hats"],
])("the website %j is %j", (website, expected) => {
  expect(parseWebsite(website)).toBe(expected);
});

test.each([
  "", "TBC", "//hats.example/x", "/x", "see our page.", "Pay at the door.More soon",
  "Doors 7.30pm, e.g. at noon", "www.hats.example, www.herrings.example",
  "https://hats.example https://herrings.example", "hello@hats.example", "https://hello@hats.example",
  "https://user:secret@hats.example/x", "https://hats.example@herrings.example/", "javascript.alert(1)",
  "javascript:alert(1)", "data:text/html,x.com", "mailto:hello@hats.example", "ftp://hats.example",
  "https://", "https://hats", "https://192.168.0.7/x", "http://0x7f.1/", "https://hats..example/",
  "https://-hats.example/", "https://hats.example1/", "https://hats.examplehttps://hats.example/",
  "poster.pdf", `https://hats.example/${"x".repeat(2_000)}`,
])("%j is no address, or not one", (website) => {
  expect(parseWebsite(website)).toBeNull();
}); // biome-ignore format: a table of websites

const piece = fc.constantFrom(
  ..."aZ9é-._~:/?#[]@!$&'()*+,;=%\\ <>\"“”»\t\n", "http", "https", "://", "//", "www.", "hats", "hats.example", "a.b", ".co.uk", ".local", "localhost",
  "127.0.0.1", "[::1]", "user:pw@", "&amp;", "&amp;amp;", "&#47;", "&lt;", "&nbsp;", "\u200b", "/../", "%2e", ":8080", "xn--a", " and ", "(", ")",
); // biome-ignore format: a table of pieces
const texts = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.array(piece, { maxLength: 14, size: "max" }).map((parts) => parts.join("")),
  fc.array(piece, { maxLength: 10, size: "max" }).map((parts) => `https://hats.example/${parts.join("")}`),
  fc.string({ unit: "binary" }),
);

test("a parsed address is valid, has a public host and no user name, and is parsed again unchanged", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const website = parseWebsite(text);
      if (website === null) return;
      const url = new URL(website);
      expect(url.href).toBe(website);
      expect(["http:", "https:"]).toContain(url.protocol);
      expect(url.username + url.password).toBe("");
      expect(url.hostname).toMatch(/^(?:[a-z\d_-]+\.)+(?:[a-z]{2,}|xn--[a-z\d-]+)$/);
      expect(url.hostname).not.toMatch(/(?:^|\.)(?:localhost|local|internal)$/);
      expect(website).not.toMatch(/\s|&amp;/);
      expect(parseWebsite(website)).toBe(website);
    }),
    { numRuns: 3_000 },
  );
});

test("a good address stays as the URL standard writes it", () => {
  const publicHost = fc
    .tuple(fc.domain(), fc.constantFrom("com", "co.uk", "org", "scot"))
    .map(([domain, topLevel]) => domain.replace(/[^.]+$/, topLevel));
  const url = fc
    .tuple(fc.constantFrom("http", "https"), publicHost, fc.webPath(), fc.webQueryParameters())
    .map(([scheme, host, path, query]) => `${scheme}://${host}${path}?${query}`)
    .filter((text) => !/[.,;:'!?)]$|&[a-z#]+\d*;|--/i.test(text));
  fc.assert(
    fc.property(url, (text) => {
      expect(parseWebsite(text)).toBe(new URL(text).href);
    }),
  );
});
