import { useLayoutEffect, useRef } from "react";

interface ListNoticeProps {
  text: string;
  isMissing: boolean;
  reload: () => void;
}

/** The notice above a list that is missing, earlier, or without reviews (docs/product.md §8.11). */
export function ListNotice({ text, isMissing, reload }: ListNoticeProps) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const { current } = button;
    return () => {
      // The list is there: the focus must not go with the button.
      if (current === document.activeElement)
        document.getElementById("shows")?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div role="alert" className="notice row" data-missing={isMissing || undefined}>
      <p>{text}</p>
      <button ref={button} type="button" className="button" onClick={reload}>
        Try again
      </button>
    </div>
  );
}
