import type { ListedShow } from "../../domain/show.ts";
import { showUrl } from "../../domain/show-query.ts";
import { withoutDirections } from "../../lib/format.ts";

interface ForWebsiteProps {
  show: ListedShow;
  /** Offline it is unknown. */
  shortId: string | undefined;
  origin: string;
}

/** For a company's own page and its flyers (docs/product.md §2.25, §3.15). */
export function ForWebsite({ show: { id, title }, shortId, origin }: ForWebsiteProps) {
  const badge = `/api/shows/${encodeURIComponent(id)}/badge.svg`;
  const alt = escapeAttribute(`${withoutDirections(title)} on Front Row: how much audience interaction?`);
  // A Content-Security-Policy may refuse the style. Then the badge is as wide as the page's own style lets it be.
  const picture = `<img src="${origin}${badge}" alt="${alt}" height="28" style="max-width:100%">`;
  const html = `<a href="${origin}${showUrl(id)}">${picture}</a>`;
  return (
    <details className="for-website">
      <summary>For your website</summary>
      <img src={badge} alt="The badge" height="28" loading="lazy" />
      <div className="field">
        <label htmlFor="badge-html">HTML of a badge that says what most people said</label>
        <textarea
          id="badge-html"
          readOnly
          rows={5}
          value={html}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        {/* use-share.ts copies its value. */}
        <button type="button" className="button badge-copy" value={html}>
          Copy
        </button>
      </div>
      {shortId && (
        <p>
          {"Short address for flyers: "}
          <code>{origin + showUrl(shortId)}</code>
        </p>
      )}
    </details>
  );
}

/** Addresses need no escaping: the id in them is URL-encoded. */
function escapeAttribute(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
