import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { buildTarget } from "./scripts/oldest-browsers.ts";

/**
 * What the built server loads from node_modules: drivers that look for files and workers beside themselves.
 */
const external = ["pg", "pino", "@napi-rs/canvas"];

/** One file with what a new version of the site seldom changes. */
const libraries = { name: "libraries", test: /node_modules\/(react|react-dom|react-router|scheduler)\// };

/**
 * One file with the screen that most visitors open and what loads its list, and thereby what other pages share with
 * it: small files compress worse, and each would be a request of the first load. The entry is not in it: it awaits
 * screens that import this file, which would wait for each other.
 */
const site = {
  name: "site",
  test: /\/src\/(app\/(document|routes)|shows\/load-list|reviews\/state\/load-show-notes)\.tsx?$/,
};

/**
 * The job queue looks for settings, which may be scripts, in the folder in which a command is run: anybody may have
 * put them there.
 */
const withoutForeignSettings: Plugin = {
  name: "without-foreign-settings",
  enforce: "pre",
  resolveId: { filter: { id: /^cosmiconfig$/ }, handler: () => "\0cosmiconfig" },
  load: {
    filter: { id: /^\0cosmiconfig$/ },
    handler: () => "export const cosmiconfigSync = () => ({ search: () => null });",
  },
};

/**
 * React Router creates components by a call, and names them afterwards. To a bundler both may have effects, so that it
 * keeps components that nobody uses: 3 KB of each first visit.
 */
const unusedComponents: Plugin = {
  name: "unused-components",
  apply: "build",
  transform: {
    filter: { id: /\/node_modules\/react-router\/.*\.m?js$/ },
    handler: (code) =>
      code
        .replaceAll(/^\w+\.displayName = ".*";$/gm, "")
        .replaceAll("= React$1.forwardRef(", "= /* @__PURE__ */ React$1.forwardRef("),
  },
};

export default defineConfig(({ command }) => ({
  plugins: [react(), withoutForeignSettings, unusedComponents],
  builder: {},
  environments: {
    client: {
      build: {
        outDir: "build/client",
        manifest: true,
        modulePreload: false,
        target: buildTarget,
        cssTarget: buildTarget,
        rolldownOptions: {
          input: "src/app/entry.client.tsx",
          // Both make the first load smaller.
          optimization: { inlineConst: true },
          treeshake: { propertyReadSideEffects: false },
          output: { codeSplitting: { groups: [libraries, site] } },
        },
      },
    },
    ssr: {
      build: {
        outDir: "build/server",
        copyPublicDir: false,
        rolldownOptions: {
          input: {
            main: "./src/main.server.ts",
            "run-site": "./src/server/run-site.server.ts",
            app: "./src/server/app.server.ts",
            "draw-preview": "./src/shows/preview/draw-preview.server.ts",
            admin: "./src/cli/admin.ts",
            refresh: "./src/cli/run-refresh.ts",
          },
        },
      },
      // Bundled, React is its production build whatever NODE_ENV says when the server starts.
      ...(command === "build" && {
        define: { "process.env.NODE_ENV": JSON.stringify("production") },
        resolve: { noExternal: true, external },
      }),
    },
  },
}));
