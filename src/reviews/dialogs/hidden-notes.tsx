import type { FormEvent } from "react";
import { useSingleFlight } from "../../browser/use-single-flight.ts";
import { OBJECTION_MAX } from "../../domain/report.ts";
import type { OwnReview } from "../../domain/review-dto.ts";
import { CountedText } from "../../ui/counted-text.tsx";
import { objectionSent, rules } from "../state/own-reviews-texts.ts";

interface HiddenNotesProps {
  hidden: NonNullable<OwnReview["hidden"]>;
  titleId: string;
  object: (text: string) => Promise<void>;
}

/** docs/product.md §13.14 */
export function HiddenNotes({ hidden: { rule, objection }, titleId, object }: HiddenNotesProps) {
  const [busy, run] = useSingleFlight();

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("text"));
    void run(() => object(text));
  }

  return (
    <div className="callout own-hidden stack">
      <p>
        <strong>Others can't see these notes.</strong> The rule: {rules[rule]} Your answer still counts.
      </p>
      {objection === "sent" && <p>{objectionSent}</p>}
      {objection === "possible" && (
        <details>
          <summary aria-describedby={titleId}>Object</summary>
          <form className="field" onSubmit={submit}>
            <CountedText
              label="Why should they be shown? You can object once."
              name="text"
              max={OBJECTION_MAX}
              required
            />
            <button type="submit" className="button fit" aria-disabled={busy || undefined}>
              {busy ? "Sending..." : "Send objection"}
            </button>
          </form>
        </details>
      )}
    </div>
  );
}
