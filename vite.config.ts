import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";

/**
 * What the built server loads from node_modules: drivers that look for files and workers beside themselves.
 */
const external = ["pg", "graphile-worker", "pino", "piscina", "@napi-rs/canvas"];

/** One file with what a new version of the site seldom changes. */
const libraries = { name: "libraries", test: /node_modules\/(react|react-dom|react-router|scheduler|zod)\// };

/**
 * One file with the screen that most visitors open, and thereby what other pages share with it: small files
 * compress worse, and each would be a request of the first load.
 */
const site = { name: "site", test: /\/src\/app\/(root|routes\/home)\.tsx$/ };

export default defineConfig(({ command }) => ({
  plugins: [tailwindcss(), reactRouter()],
  build: { modulePreload: { polyfill: false } },
  environments: {
    client: { build: { rolldownOptions: { output: { codeSplitting: { groups: [libraries, site] } } } } },
    ssr: {
      build: {
        rolldownOptions: {
          input: {
            main: "./src/main.server.ts",
            "run-site": "./src/server/run-site.server.ts",
            app: "./src/server/app.server.ts",
            "draw-preview": "./src/shows/preview/draw-preview.server.ts",
          },
          // As the browser's is named, or it would have a second one that nobody asks for.
          output: { assetFileNames: "assets/root-[hash][extname]" },
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
