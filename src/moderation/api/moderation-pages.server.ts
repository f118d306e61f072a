import { html } from "hono/html";
import { reasonLabels } from "../../domain/report.ts";
import { interactionLabels } from "../../domain/review.ts";
import { shownText } from "../../domain/shown-text.ts";
import { shorten } from "../../lib/format.ts";
import type { NoteVisibility } from "../../reviews/store/visible-notes.server.ts";
import { plainPage } from "../../ui/plain-page.server.ts";
import { describeOutcome } from "../decision-texts.server.ts";
import type { DecisionRow } from "../store/decisions.server.ts";
import { type ReportRow, toSeen } from "../store/report-queue.server.ts";

/** A page of the queue, or one report. */
interface QueuePage {
  message: string;
  reports: readonly ReportRow[];
  total: number;
  page: number;
  pages: number;
  /** The latest decisions by this link. */
  decisions: readonly DecisionRow[];
  /** The address of the whole queue, if this page shows a part of it. */
  back: string | null;
}

type Html = ReturnType<typeof html>;

/** Names neither authors nor reporters (docs/product.md §13.22). */
export async function queuePage({ message, reports, total, page, pages, decisions, back }: QueuePage) {
  const link = (to: number, text: string) => html`<a class="button" href="?page=${to}">${text}</a> `;
  const body = html`
${message && html`<p role="status"><strong>${message}</strong></p>`}
${decisions.length > 0 ? html`<p><a class="button" href="#decisions">Latest decisions</a></p>` : ""}
${
  reports.length === 0
    ? html`<p>Nothing waits for a decision.</p>`
    : html`${back === null ? html`<p>${total === 1 ? "1 note waits" : `${total} notes wait`} for a decision.</p>` : ""}
<ul><li><b>Hide</b>: only its author can still read it; the answer counts.</li>
<li><b>Keep</b>: everybody can read it; the report counts as mistaken.</li></ul>`
}
${reports.map(article)}
${pages > 1 ? html`<nav aria-label="Pages"><p>Page ${page} of ${pages}</p>${page < pages ? link(page + 1, "Next 20") : ""}${page > 1 ? link(page - 1, "Previous 20") : ""}</nav>` : ""}
${back === null ? "" : html`<p><a class="button" href="${back}">All that waits</a></p>`}
${decisions.length > 0 ? html`<h2 id="decisions">Latest decisions by this link</h2><ul>${decisions.map(decided)}</ul>` : ""}
<p>This link is as good as a key: give it to nobody.</p>`;
  return renderPage(String(await body));
}

export function messagePage(message: string) {
  return renderPage(`<p>${message}</p>`);
}

function renderPage(body: string) {
  // Link previews show the title to everybody in a channel.
  const title = "Reported notes";
  const page = plainPage({ title, body: `<h2>${title}</h2>${body}`, hasForm: true });
  return { html: page.html, headers: { ...page.headers, "X-Robots-Tag": "noindex" } };
}

const visibleTo: Record<NoteVisibility, string> = {
  shown: "Everybody can read it.",
  hidden: "Hidden until somebody decides.",
  gone: "The note is gone. Keep closes the report.",
  quarantined: "Only its author can read it now: the author is in quarantine.",
  unlisted: "Only its author can read it now: the show is not in the list.",
};

function article(report: ReportRow): Html {
  const { id, show, review, rewritten, waits_since, texts, objection, visibility } = report;
  const title = shownText(show.title);
  const button = (value: string, text: string) =>
    html`<button name="action" value="${value}" aria-label="${text} the note of report ${id}, ${title}">${text}</button>`;
  return html`<article aria-labelledby="report-${id}">
<h3 id="report-${id}">Report ${id}: <a href="/?show=${encodeURIComponent(show.id)}"><bdi>${title}</bdi></a></h3>
<p>${visibleTo[visibility]}
${rewritten ? html`<strong>Its author has changed it since it was ${visibility === "hidden" ? "hidden" : "reported"}.</strong>` : ""}</p>
<p>${review ? `It is from ${toTime(new Date(review.created_at))}, with the answer ${interactionLabels[review.audience_interaction]}. ` : ""}It has waited since ${toTime(waits_since)}.</p>
${review?.notes ? quotation(review.notes, `the note of report ${id}`) : ""}
${said(report, true)}
${said(report, false)}
${texts.length > 0 ? html`<p>Reporters wrote:</p>` : ""}
${texts.map((text) => quotation(text, `what a reporter wrote, report ${id}`))}
${objection ? html`<p>Its author objects:</p>${quotation(objection, `the objection, report ${id}`)}` : ""}
<form method="post">
<input type="hidden" name="report" value="${id}">
<input type="hidden" name="seen" value="${toSeen(review?.note_id, objection)}">
${review?.notes ? button("hide", "Hide") : ""}${button("keep", "Keep")}
</form>
</article>`;
}

function said({ reporters, reasons }: ReportRow, signedIn: boolean): Html | "" {
  const people = signedIn ? reporters.signed_in : reporters.anonymous;
  if (people === 0) return "";
  const who = signedIn ? "signed in" : "not signed in";
  const theirs = reasons.filter(({ signed_in }) => signed_in === signedIn);
  return html`<p>${people === 1 ? "1 person" : `${people} people`}, ${who}, ${people === 1 ? "says" : "say"}:</p>
<ul>${theirs.map(({ reason, count }) => html`<li>${reasonLabels[reason]}${count > 1 ? `, ${count} times` : ""}</li>`)}</ul>`;
}

/** Estimated lines of a quotation that need no `Show all`, and the characters of a line. */
const MAX_LINES = 12;
const LINE_LENGTH = 45;

/** Bounds a text as the site does (docs/product.md §4.3). The page has no scripts to measure it. */
function quotation(written: string, what: string): Html {
  const text = shownText(written);
  const lines = text.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / LINE_LENGTH), 0);
  const more =
    lines > MAX_LINES
      ? html`<details><summary aria-label="Show all of ${what}">Show all</summary></details>`
      : "";
  return html`<div class="quotation">${more}<blockquote dir="auto">${text}</blockquote></div>`;
}

const QUOTED = 100; // characters of a decided note

function decided({ id, reportId, action, at, title, notes, refusal }: DecisionRow): Html {
  const text = notes === null ? null : shorten(notes, QUOTED);
  const name = `Undo the decision on report ${reportId}, ${shownText(title)}`;
  return html`<li>${toTime(at)}: ${action === "keep" ? "kept" : "hidden"}, at <bdi>${shownText(title)}</bdi>.
${text ? html`<blockquote dir="auto">${shownText(text)}</blockquote>` : ""}
${refusal === "already_undone" ? html`<p>Taken back.</p>` : ""}${refusal === "decided_again" || refusal === "reported_again" ? html`<p>Somebody has decided again, or it waits anew.</p>` : ""}${
  refusal === null
    ? html`<form method="post"><button name="undo" value="${id}" aria-label="${name}">Undo</button></form>`
    : ""
}</li>`;
}

export function describeDecision(decision: DecisionRow): string {
  return `Decided on ${toTime(decision.at)}. ${describeOutcome(decision)}.`;
}

const edinburgh = new Intl.DateTimeFormat("en-GB", {
  timeZone: "Europe/London",
  dateStyle: "long",
  timeStyle: "short",
});

/** In Edinburgh's time: `12 August 2026 at 21:04`. */
const toTime = (time: Date) => edinburgh.format(time);
