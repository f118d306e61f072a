/*
 * Import rules (docs/architecture.md, "Folders"), each stated once. Biome checks cycles and barrel files.
 * Files of tests/fixtures/import-rules that import break a rule each; `npm run check` fails unless all are refused.
 */

/** The folders of src/ from the top down. A folder imports those below it, and none beside or above it. */
const layers = [
  ["main\\.server\\.ts"],
  ["server"],
  ["app", "cli"],
  ["shows", "accounts", "reviews", "moderation", "auth", "refresh", "legal", "offline"],
  ["jobs", "catalogue", "config"],
  ["http", "database", "ui", "browser"],
  ["domain"],
  ["lib"],
];

const pathOf = (folders) => `^src/(${folders.join("|")})(/|$)`;

/** Screens and what React Router's own files import are where features meet. */
const downwards = layers.slice(1).map((folders, index) => ({
  name: `${folders.join("-")}-imports-downwards`,
  comment: "A folder imports those below it, never the other way round.",
  from: { path: pathOf(folders) },
  to: { path: pathOf(layers.slice(0, index + 1).flat()) },
}));

/** Features whose server files others build on. */
const foundations = {
  reviews: ["auth"],
  moderation: ["reviews", "auth"],
  accounts: ["reviews", "moderation", "auth"],
};

const sideways = layers
  .filter((folders) => folders.length > 1)
  .map((folders) => ({
    name: `${folders.join("-")}-know-nothing-of-each-other`,
    comment:
      "Folders of one layer meet in server/ and app/routes/; features otherwise only in auth/session.ts. Messages of browser/ are shown by ui/toast.",
    from: { path: pathOf(folders), pathNot: pathOf(Object.keys(foundations)) },
    to: { path: pathOf(folders), pathNot: ["^src/$1/", "^src/auth/session\\.ts$", "^src/ui/toast"] },
  }));

const builtOnOthers = Object.entries(foundations).map(([feature, others]) => ({
  name: `${feature}-builds-on-${others.join("-and-")}`,
  comment:
    "Moderation acts on reviews and users, reviews belong to users, and an account is all of them: never the other way round.",
  from: { path: pathOf([feature]) },
  to: {
    path: pathOf(layers.find((folders) => folders.includes(feature))),
    pathNot: [`^src/${feature}/`, `^src/(${others.join("|")})/.*\\.server\\.ts$`, "^src/auth/session\\.ts$"],
  },
}));

const rules = [
  ...downwards,
  ...sideways,
  ...builtOnOthers,
  {
    name: "src-knows-no-tools",
    comment: "src/ knows nothing of what develops, tests or measures it.",
    from: { path: "^src/" },
    to: { path: "^(dev|tests|scripts|benchmarks)/" },
  },
  {
    name: "catalogue-knows-no-http",
    comment: "Code that answers requests may import the catalogue, and not the reverse.",
    from: { path: "^src/catalogue/" },
    to: { path: "^src/http/" },
  },
  {
    name: "browser-imports-no-server",
    comment: "This file also runs in the browser: it may not import what runs on the server only.",
    from: {
      path: "^src/(auth|browser|catalogue|domain|legal|moderation|offline|refresh|reviews|shows|ui|lib)/",
      pathNot: "\\.server\\.ts$",
    },
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
