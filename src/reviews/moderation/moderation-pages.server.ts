import { html } from "hono/html";
import { plainPage } from "../../http/requests/plain-page.server.ts";
import type { DecisionAction } from "./decisions.server.ts";
import type { StandingDecision } from "./moderation-links.server.ts";
import type { Report } from "./report-queue.server.ts";

/** A page that tells something in a few words of ours. */
export function messagePage(message: string) {
  return page(`<p>${message}</p>`);
}

/** The page on which a report is decided. It names neither author nor reporters (docs/product.md §13.22). */
export async function decisionPage({
  show,
  review,
  rewritten,
  reasons,
  texts,
  objection,
  hidden_at,
}: Report) {
  const notes = review?.notes;
  const body = html`
<h2>A reported note</h2>
<p>At <a href="/?show=${encodeURIComponent(show.id)}">${show.title}</a>. ${hidden_at ? "It is hidden." : "Everybody can read it."}</p>
${notes ? html`<blockquote>${notes}</blockquote>` : html`<p>The note is gone: its author has removed it.</p>`}
${rewritten ? html`<p>Its author has changed it since it was reported.</p>` : ""}
<p>Reported as:</p>
<ul>${reasons.map(({ reason, count }) => html`<li>${wordsOf(reason)}${count > 1 ? `, ${count} times` : ""}</li>`)}</ul>
${texts.length > 0 ? html`<p>Reporters wrote:</p>` : ""}
${texts.map(({ text }) => html`<blockquote>${text}</blockquote>`)}
${objection ? html`<p>Its author objects:</p><blockquote>${objection}</blockquote>` : ""}
<form method="post">
<input type="hidden" name="note" value="${notes ? review.note_id : ""}">
${notes ? html`<button name="action" value="hide">Hide</button>` : ""}
<button name="action" value="keep">Keep</button>
</form>
<p>Hidden notes stay readable for their author, and the answer counts. This link decides once.</p>`;
  return page(String(await body), true);
}

const outcomes: Record<DecisionAction, string> = {
  keep: "the note is kept",
  hide: "the note is hidden",
  "remove-note": "the note was removed",
  "remove-review": "the review was removed",
  ban: "its author is banned, and the note is hidden",
};

/** What was decided; null: nothing that still holds. */
export function describeDecision(decision: StandingDecision | null): string {
  if (!decision) return "This link was used, and what was decided with it was taken back.";
  return `Decided on ${toMinute(decision.at)}: ${outcomes[decision.action]}.`;
}

/** `2026-08-04 at 21:30 UTC` */
function toMinute(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " at ")} UTC`;
}

/** `personal_data` in words. */
export function wordsOf(reason: Report["rule"]): string {
  return reason.replace("_", " ");
}

function page(body: string, hasForm = false) {
  // Its title is what link previews show, which everybody in a channel sees.
  const { html, headers } = plainPage({ title: "A reported note", body, hasForm });
  return { html, headers: { ...headers, "X-Robots-Tag": "noindex" } };
}
