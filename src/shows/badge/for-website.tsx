import type { ListedShow } from "../../domain/show.ts";
import { showUrl } from "../../domain/show-query.ts";
import { withoutDirections } from "../../lib/format.ts";

/** For a company's own page (docs/product.md §3.15). */
export function ForWebsite({ show: { id, title }, origin }: { show: ListedShow; origin: string }) {
  const link = origin + showUrl(id);
  const badge = `/api/shows/${encodeURIComponent(id)}/badge.svg`;
  const alt = escapeAttribute(`${withoutDirections(title)} on Front Row: how much audience interaction?`);
  return (
    <details className="for-website">
      <summary>For your website</summary>
      <div className="field">
        <label htmlFor="badge-html">HTML of a badge that says what most people said</label>
        <textarea
          id="badge-html"
          readOnly
          rows={5}
          value={`<a href="${link}"><img src="${origin}${badge}" alt="${alt}" height="28"></a>`}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
      </div>
      <p className="row">
        <img src={badge} alt="The badge" height="28" loading="lazy" />
        <a href="/terms#companies">For companies</a>
      </p>
    </details>
  );
}

/** Addresses need no escaping: the id in them is URL-encoded. */
function escapeAttribute(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
