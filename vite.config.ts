import { reactRouter } from "@react-router/dev/vite";
import { defineConfig, type Plugin } from "vite";
import { buildTarget } from "./scripts/oldest-browsers.ts";

/**
 * What the built server loads from node_modules: drivers that look for files and workers beside themselves.
 */
const external = ["pg", "pino", "piscina", "@napi-rs/canvas"];

/** One file with what a new version of the site seldom changes. */
const libraries = { name: "libraries", test: /node_modules\/(react|react-dom|react-router|scheduler)\// };

/**
 * One file with the screen that most visitors open, and thereby what other pages share with it: small files
 * compress worse, and each would be a request of the first load. The entry stays apart: it waits for a paint,
 * and its file with it.
 */
const site = { name: "site", test: /\/src\/app\/(root|routes\/home)\.tsx$/ };

/**
 * Replaces Vite's helper of dynamic imports by what is left of it where all styles are one file, and a page has
 * loaded what its lazy scripts import: nothing is preloaded, a failure is reported.
 */
const withoutPreloads: Plugin = {
  name: "without-preloads",
  load: {
    filter: { id: /^\0vite\/preload-helper\.js$/ },
    handler: () => `export const __vitePreload = (load) => load().catch((error) => {
      dispatchEvent(new Event("vite:preloadError"));
      throw error;
    });`,
  },
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

export default defineConfig(({ command }) => ({
  plugins: [reactRouter(), withoutPreloads, withoutForeignSettings],
  build: { modulePreload: false, cssTarget: buildTarget },
  environments: {
    client: {
      build: {
        target: buildTarget,
        rolldownOptions: { output: { codeSplitting: { groups: [libraries, site] } } },
      },
    },
    ssr: {
      build: {
        rolldownOptions: {
          input: {
            main: "./src/main.server.ts",
            "run-site": "./src/server/run-site.server.ts",
            app: "./src/server/app.server.ts",
            "draw-preview": "./src/shows/preview/draw-preview.server.ts",
            admin: "./src/cli/admin.ts",
            refresh: "./src/cli/run-refresh.ts",
          },
          // Named like the browser's: otherwise there would be a second, unused file.
          output: { assetFileNames: "assets/site-[hash][extname]" },
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
