export function plural(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** `Tue 14:05`, in the browser's time zone. */
export function formatDayTime(time: number): string {
  const part = (options: Intl.DateTimeFormatOptions) => new Date(time).toLocaleString("en-GB", options);
  return `${part({ weekday: "short" })} ${part({ timeStyle: "short" })}`;
}

/** For texts that are part of another: these characters would turn around the rest of it. */
export function withoutDirections(text: string): string {
  return text.replace(/\p{Bidi_Control}/gu, "");
}

/** Never in the middle of a character. @param max in UTF-16 code units, with the `…` */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}
