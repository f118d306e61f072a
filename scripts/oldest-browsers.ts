/**
 * The oldest supported browsers (docs/product.md §1.11), by their names in MDN's data. The build compiles for them.
 * Tests compare the built files with that data.
 */
export const oldestBrowsers = {
  chrome: "109",
  edge: "109",
  firefox: "115",
  safari: "15.6",
  safari_ios: "15.6",
};

/** By their names in Vite. */
export const buildTarget = Object.entries(oldestBrowsers).map(
  ([browser, version]) => (browser === "safari_ios" ? "ios" : browser) + version,
);
