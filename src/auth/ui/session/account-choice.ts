/** The local storage key that marks a sign-out in this browser. */
const SIGNED_OUT_KEY = "front-row-signed-out";

/**
 * Remembers a sign-out until the next sign-in, which has the provider ask for the account (docs/product.md
 * §6.15). Storage that throws remembers nothing.
 */
export function createAccountChoice(storage: () => Pick<Storage, "getItem" | "setItem" | "removeItem">) {
  return {
    /** Parameters for the provider. */
    queryParams(): Record<string, string> {
      return attempt(() => storage().getItem(SIGNED_OUT_KEY)) ? { prompt: "select_account" } : {};
    },
    rememberSignOut(): void {
      attempt(() => storage().setItem(SIGNED_OUT_KEY, "1"));
    },
    forgetSignOut(): void {
      attempt(() => storage().removeItem(SIGNED_OUT_KEY));
    },
  };
}

function attempt<T>(access: () => T): T | null {
  try {
    return access();
  } catch {
    return null;
  }
}
