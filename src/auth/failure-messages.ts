// Server and browser share these messages (docs/product.md §6.4). The first load does not contain them.

export const tooManySignIns =
  "Too many people are signing in from your network just now. Please try again in a minute.";

export function signInUnavailable(providerName: string): string {
  return `Signing in with ${providerName} does not work just now. Please try again in a moment.`;
}
