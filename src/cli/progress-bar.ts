import { SingleBar } from "cli-progress";

/** Only on a terminal: cron would mail lines. For `Fetching the programme …`; a total is null while unknown. */
export function showProgress(doing: string, things: string) {
  if (!process.stderr.isTTY) return { update: () => {}, stop: () => {} };
  const format = `${doing} {bar} {value}/{total} ${things}`;
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true, clearOnComplete: true });
  return {
    update: ({ seen, total }: { seen: number; total: number | null }) => {
      const max = Math.max(total ?? 0, seen);
      if (!bar.isActive) bar.start(max, seen);
      bar.setTotal(max);
      bar.update(seen);
    },
    stop: () => bar.stop(),
  };
}
