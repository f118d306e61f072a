/** docs/product.md §5.17 */
export interface Toast {
  title: string;
  description: string;
  /** A failure is announced at once, and styled as an error. */
  destructive?: boolean;
  /** It goes with its topic, as a failure does. */
  pending?: boolean;
  /** Until it is dismissed: nothing else on the screen has its action. */
  stays?: boolean;
  /** A toast replaces earlier ones with the same topic. */
  topic?: string | undefined;
  action?: { label: string; run: () => void } | { label: string; href: string };
}

export function errorToast(description: string, topic?: string): Toast {
  return { title: "Error", description, destructive: true, topic };
}

export interface ShownToast extends Toast {
  id: number;
}

/** More would cover the page. The oldest are removed first. */
const MAX_SHOWN = 3;

/** A toast with the same text is replaced, so that it is announced again. */
export function withToast(shown: readonly ShownToast[], toast: ShownToast): readonly ShownToast[] {
  const others = shown.filter((other) => !hasSameText(other, toast) && !hasSameTopic(other, toast));
  return [...others, toast].slice(-MAX_SHOWN);
}

export function withoutFailure(shown: readonly ShownToast[], topic: string): readonly ShownToast[] {
  return shown.filter((toast) => !((toast.destructive || toast.pending) && toast.topic === topic));
}

/** A dialog that opens is read first. */
export function withoutSuccesses(shown: readonly ShownToast[]): readonly ShownToast[] {
  return shown.filter((toast) => toast.destructive || toast.pending || toast.stays);
}

function hasSameText(one: Toast, other: Toast): boolean {
  return one.title === other.title && one.description === other.description;
}

function hasSameTopic(old: Toast, { topic }: Toast): boolean {
  return topic !== undefined && old.topic === topic;
}

/** In ms: time to notice it, and to read it slowly. */
export function readingTime({ title, description }: Toast): number {
  return 6_000 + 60 * (title.length + description.length);
}
