import { html } from "hono/html";
import { shownText } from "../../domain/shown-text.ts";
import { plainPage } from "../../ui/plain-page.server.ts";
import { type DecisionAction, outcomes } from "../store/decisions.server.ts";
import type { Report } from "../store/report-queue.server.ts";

export function messagePage(message: string) {
  return page(`<p>${message}</p>`);
}

/** The page on which a report is decided. It names neither author nor reporters (docs/product.md §13.22). */
export async function decisionPage(report: Report) {
  const { show, review, rewritten, reporters, reasons, texts, objection, hidden_at } = report;
  const notes = review?.notes;
  const body = html`
<h2>A reported note</h2>
<p>At <a href="/?show=${encodeURIComponent(show.id)}"><bdi>${shownText(show.title)}</bdi></a>. ${hidden_at ? "It is hidden." : "Everybody can read it."}</p>
${notes ? quotation(notes) : html`<p>The note is gone: its author has removed it.</p>`}
${rewritten ? html`<p>Its author has changed it since it was reported.</p>` : ""}
<p>Reported by ${reporters.signed_in} signed in and ${reporters.anonymous} not, as:</p>
<ul>${reasons.map(({ reason, signed_in, count }) => html`<li>${wordsOf(reason)}${count > 1 ? `, ${count} times` : ""}${signed_in ? "" : ", not signed in"}</li>`)}</ul>
${texts.length > 0 ? html`<p>Reporters wrote:</p>` : ""}
${texts.map(({ text }) => quotation(text))}
${objection ? html`<p>Its author objects:</p>${quotation(objection)}` : ""}
<form method="post">
<input type="hidden" name="note" value="${notes ? review.note_id : ""}">
${notes ? html`<button name="action" value="hide">Hide</button>` : ""}
<button name="action" value="keep">Keep</button>
</form>
<p>Hidden notes stay readable for their author, and the answer counts. This link decides once.</p>`;
  return page(String(await body), true);
}

/** Estimated lines of a quotation that need no `Show all`, and the characters of a line. */
const MAX_LINES = 12;
const LINE_LENGTH = 45;

/** What somebody wrote, bounded as on the site (docs/product.md §4.3). The page has no scripts to measure it. */
function quotation(written: string) {
  const text = shownText(written);
  const lines = text.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / LINE_LENGTH), 0);
  const more = lines > MAX_LINES ? html`<details><summary>Show all</summary></details>` : "";
  return html`<div class="quotation">${more}<blockquote dir="auto">${text}</blockquote></div>`;
}

export function describeDecision(decision: { action: DecisionAction; at: Date } | null): string {
  if (!decision) return "This link was used, and what was decided with it was taken back.";
  const minute = decision.at.toISOString().slice(0, 16).replace("T", " at ");
  return `Decided on ${minute} UTC. ${outcomes[decision.action]}.`;
}

export function wordsOf(reason: Report["rule"]): string {
  return reason.replace("_", " ");
}

function page(body: string, hasForm = false) {
  // Its title is what link previews show, which everybody in a channel sees.
  const { html, headers } = plainPage({ title: "A reported note", body, hasForm });
  return { html, headers: { ...headers, "X-Robots-Tag": "noindex" } };
}
