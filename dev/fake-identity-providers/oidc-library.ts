/* Without the warning of `oidc-provider` about Node 26, whose packages are older than its LTS label. */
const { warn } = console;
console.warn = () => {};
export const { errors, interactionPolicy, Provider } = await import("oidc-provider");
console.warn = warn;
