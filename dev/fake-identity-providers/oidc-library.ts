/* Hides a warning: `oidc-provider` takes Node 26 for an unsupported version, because it is not LTS yet. */
const { warn } = console;
console.warn = () => {};
export const { errors, interactionPolicy, Provider } = await import("oidc-provider");
console.warn = warn;
