/*
 * Import rules (docs/architecture.md, "Where things are"), each stated once. Biome checks cycles and barrel files.
 * Files of tests/fixtures/import-rules that import break a rule each; `npm run check` fails unless all are refused.
 */

const features = "^src/(shows|reviews|refresh|auth)/";

/** A page is where features meet, and what React Router gives both to the server and to the browser. */
const pages = "/page\\.tsx$";

const rules = [
  {
    name: "src-knows-no-tools",
    comment: "src/ knows nothing of what develops, tests or measures it.",
    from: { path: "^src/" },
    to: { path: "^(dev|tests|scripts|benchmarks)/" },
  },
  {
    name: "imports-run-downwards",
    comment: "The server's composition imports the folders, never the other way round.",
    from: { path: "^src/[^/]+/" },
    to: { path: "^src/(main|site|app|pages)\\.server\\.ts$" },
  },
  {
    name: "foundations-know-no-feature",
    comment: "catalogue/, database/, domain/, http/ and ui/ know nothing of a feature.",
    from: { path: "^src/(catalogue|database|domain|http|ui)/" },
    to: { path: features },
  },
  {
    name: "catalogue-knows-no-http",
    comment: "The catalogue reads the database. Whoever answers a request asks it.",
    from: { path: "^src/catalogue/" },
    to: { path: "^src/(http|ui)/" },
  },
  {
    name: "catalogue-is-above-foundations",
    comment: "database/, domain/, http/ and ui/ know nothing of the catalogue.",
    from: { path: "^src/(database|domain|http|ui)/" },
    to: { path: "^src/catalogue/" },
  },
  {
    name: "features-meet-in-pages",
    comment: "A feature knows nothing of another one's inside: compose them in app.server.ts or a page.",
    from: { path: features, pathNot: pages },
    to: { path: features, pathNot: ["^src/$1/", "^src/auth/session\\.ts$", "^src/shows/show-queries\\.server\\.ts$"] },
  },
  {
    name: "refresh-writes-shows",
    comment: "What writes shows is for the refresh alone.",
    from: { path: "^src/", pathNot: "^src/(shows|refresh)/" },
    to: { path: "^src/shows/show-queries\\.server\\.ts$" },
  },
  {
    name: "browser-imports-no-server",
    comment: "This file also runs in the browser: it may not import what runs on the server only.",
    from: { path: "^src/(auth|domain|refresh|reviews|shows|ui)/", pathNot: ["\\.server\\.ts$", pages] },
    to: { path: "\\.server\\.ts$" },
  },
];

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: rules.map((rule) => ({ ...rule, severity: "error" })),
  options: {
    // TypeScript 7 has no API for tools yet; swc reads type-only imports as well.
    parser: "swc",
    doNotFollow: "^node_modules/",
    // A test may import what it tests with.
    exclude: "\\.test\\.tsx?$",
    enhancedResolveOptions: { extensions: [".ts", ".tsx"] },
  },
};
