/** The module specifier in the text of a function; the build has made it the URL of a script. */
const specifier = /\bimport\(\s*(["'`])(.+?)\1/;

/**
 * Returns a function that imports a module, and imports it under another URL after each failure. Browsers may
 * remember that a URL could not be imported; Firefox does as long as the page is open.
 * @param load contains nothing but the dynamic import
 */
export function retriedImport<T>(load: () => Promise<T>): () => Promise<T> {
  let failures = 0;
  return async () => {
    try {
      const [, , url] = (failures > 0 && specifier.exec(load.toString())) || [];
      return await (url ? import(/* @vite-ignore */ `${url}?retry=${failures}`) : load());
    } catch (error) {
      failures += 1;
      // Each engine names the module where it could not be fetched. Other errors come from its code.
      throw /module/i.test(String(error)) ? new Error(String(error)) : error;
    }
  };
}
