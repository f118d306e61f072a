/** Of the header `Retry-After`, in ms; 0 if it is missing, invalid or in the past. */
export function parseRetryAfter(value: string | null, now = Date.now()): number {
  const wait = /^\d+$/.test(value ?? "") ? Number(value) * 1000 : Date.parse(value ?? "") - now;
  return Number.isFinite(wait) ? Math.max(wait, 0) : 0;
}
