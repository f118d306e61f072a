/** Paths whose rest is a secret, such as the token of a link to a report. */
const withSecret = /^(\/api\/moderation\/)./;

/** A request's path as logs may have it: without a secret. */
export function loggedPath(path: string): string {
  const prefix = withSecret.exec(path)?.[1];
  return prefix === undefined ? path : `${prefix}…`;
}
