import fc from "fast-check";
import { expect, test } from "vitest";
import { toPlainLine, toPlainText } from "./html-text.server.ts";

test.each([
  ["  The  Great\u00a0\nHaggis \t", "The Great Haggis"],
  ["I <3 Leith", "I <3 Leith"],
  ["<b>Bold</b> & brash", "<b>Bold</b> & brash"],
  [
    "Rhythm &amp; Blues &ndash; Am&eacute;lie&rsquo;s &#8220;Best&#x201d;",
    "Rhythm & Blues – Amélie’s “Best”",
  ],
  ["&lt;3", "<3"],
  ["&amp;lt;b&amp;gt;", "<b>"],
  ["Fish &amp;amp; Chips", "Fish & Chips"],
  ["Am&amp;eacute;lie&amp;#8217;s &amp;amp;quot;Best&amp;amp;quot;", 'Amélie’s "Best"'],
  ["It\x92s \x93Best\x94 \x96 really\x85 \x801", "It’s “Best” – really… €1"],
  ["&#146;Tis &#x9C;uvre", "’Tis œuvre"],
  ["Undefined\x81\x8d", "Undefined"],
  ["AT&T, R&B and Q&A", "AT&T, R&B and Q&A"],
  ["Family 👩‍👩‍👧 Circus", "Family 👩‍👩‍👧 Circus"],
  ["\ufeffPup\ufeffpet &#65279; Ri&#xFEFF;ot", "Puppet Riot"],
  ["\u200fHamlet\u200e \u202etelmaH\u202c", "Hamlet telmaH"],
  ["&#x202E;Sdrawkcab \u2067 &rlm;&lrm; \u2069End\u061c", "Sdrawkcab End"],
  ["שלום \u2066Hello\u2069", "שלום Hello"],
  ["No\u0000thing \u0007odd\ud83d", "Nothing odd"],
])("a line is decoded and its white space collapsed: %j", (text, line) => {
  expect(toPlainLine(text)).toBe(line);
});

test.each([
  ["<p>One.</p>\n<p>Two.</p>", "One.\n\nTwo."],
  ["One.<br>Two.<br/>\nThree.", "One.\nTwo.\nThree."],
  ["<h2>Praise for Us</h2><p>Good</p>", "Praise for Us\n\nGood"],
  ["<ul><li>mime</li><li><strong>song</strong></li></ul>", "• mime\n• song"],
  ["<ol><li>mime<li>song</ol>", "1. mime\n2. song"],
  ['<p>See <a href="https://example.com">our page</a>.<img src="/x.jpg" alt="A face"></p>', "See our page."],
  ["<p>Andrew&rsquo;s&nbsp;<em>Weekend</em></p>", "Andrew’s Weekend"],
  ["<p>I <3 Leith, and a < b</p>", "I <3 Leith, and a < b"],
  ["<p>Jokes<script>alert(1)</script><style>p{}</style></p>", "Jokes"],
  ["<p>Half open <b>bold", "Half open bold"],
  ["<!-- note -->Text", "Text"],
  ["<p>&amp;lt;b&amp;gt;Bold&amp;lt;/b&amp;gt;</p>", "Bold"],
  ["<p>Fish &amp;amp; Chips</p><p>It\x92s</p>", "Fish & Chips\n\nIt’s"],
  // Plain descriptions keep their lines and characters.
  ["First line\r\nsecond  line\n\n\n\nNew paragraph ", "First line\nsecond line\n\nNew paragraph"],
  ["a < b, I <3 you &amp; you", "a < b, I <3 you & you"],
  [
    "&lt;div class=&quot;x&quot;&gt;Tea&lt;br /&gt;&amp;amp; cake&lt;/div&gt;&lt;!--[if x]&gt;No&lt;![endif]--&gt;",
    "Tea\n& cake",
  ],
  [
    "&amp;lt;h2&amp;gt;Loud&amp;lt;/h2&amp;gt;&amp;#60;p&amp;#x3E;It&amp;rsquo;s I &amp;lt;3 Leith&amp;lt;/P&amp;gt;",
    "Loud\n\nIt’s I <3 Leith",
  ],
  ["Jokes &lt;script&gt;alert(1)&lt;/script&gt;&#60;b&#62;and&#060;/b&#062; songs", "Jokes and songs"],
  ["3 &lt; 4, 5 &gt; 2 &lt;3\n&lt;&gt; &amp;lt;- \u202eok", "3 < 4, 5 > 2 <3\n<> <- ok"],
  ["One\ufeff line\ufeff\n\ufeffthe\ufeffnext", "One line\nthenext"],
  ["Salt &amp;amp; sauce\nat Rosie\x92s", "Salt & sauce\nat Rosie’s"],
])("a description, HTML or not, becomes plain text: %j", (description, text) => {
  expect(toPlainText(description)).toBe(text);
});

test("a description that is encoded once more says the same (docs/product.md §7.6)", () => {
  const pieces = fc.constantFrom("<p>", "</p>", "<br>", "<b class='x'>", "</b>", "<ul><li>", "</ul>", "Tea ", "I <3 ", "& ", "&eacute;", "a > b ", "\n"); // biome-ignore format: a list of pieces
  const encode = (text: string) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("'", "&#39;");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const html = `<p>${parts.join("")}</p>`;
      expect(toPlainText(encode(html))).toBe(toPlainText(html));
      expect(toPlainText(encode(encode(html)))).toBe(toPlainText(html));
      expect(toPlainText(html) ?? "").not.toMatch(/<\/?[a-z]/);
    }),
  );
});

test("a line or description with nothing visible is null", () => {
  for (const text of ["", "  \n\t", "&nbsp;", "\u200b\ufeff", "\u0000"])
    for (const toPlain of [toPlainLine, toPlainText]) expect(toPlain(text), text).toBeNull();
  for (const html of ["<p>&nbsp;</p>", '<p><img src="/uploads/x.jpg" alt="" /></p>'])
    expect(toPlainText(html)).toBeNull();
});

test("deeply nested tags do not fail", () => {
  expect(toPlainText(`<p>Seen</p>${"<div>".repeat(20_000)}deep`)).toMatch(/^Seen/);
  const lists = toPlainText(`${"<ul><li>in".repeat(5_000)}`);
  expect(lists?.match(/in/g)?.length).toBeLessThanOrEqual(10);
});

test("no result has characters that PostgreSQL refuses, or white space at its ends", () => {
  const pieces = fc.constantFrom(..."<\ud800>\udc00& \n\u0000", "<p>", "</p>", "<ul><li>", "&nbsp;", "&#0;");
  const texts = fc
    .array(fc.oneof(pieces, fc.string({ unit: "binary", maxLength: 8 })), { maxLength: 20 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, (text) => {
      for (const result of [toPlainLine(text), toPlainText(text)]) {
        if (result === null) continue;
        expect(result.isWellFormed()).toBe(true);
        expect(result).not.toMatch(/[^\P{Cc}\n]/u);
        expect(result).toBe(result.trim());
        expect(result).not.toBe("");
      }
    }),
  );
});
