/**
 * The oldest browsers that the site works in (docs/product.md §1.11), as MDN's data names them. The build
 * compiles for them, and tests hold the built files against that data.
 */
export const oldestBrowsers = {
  chrome: "109",
  edge: "109",
  firefox: "115",
  safari: "15.6",
  safari_ios: "15.6",
};

/** As Vite names them. */
export const buildTarget = Object.entries(oldestBrowsers).map(
  ([browser, version]) => (browser === "safari_ios" ? "ios" : browser) + version,
);
