/*
 * `oidc-provider`, loaded without its warning about Node 26: the packages of Node were made a few days before
 * that line was called LTS.
 */
const { warn } = console;
console.warn = () => {};
export const { errors, interactionPolicy, Provider } = await import("oidc-provider");
console.warn = warn;
