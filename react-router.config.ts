import type { Config } from "@react-router/dev/config";

export default {
  appDirectory: "src/app",
  ssr: true,
  // Three entries: the server, what runs it for `npm start`, and the app alone for tests.
  serverBuildFile: "[name].js",
  // Few routes, few bytes: the browser knows them all at once and never asks for more.
  routeDiscovery: { mode: "initial" },
  // One file a page loads sooner than four small ones.
  splitRouteModules: false,
} satisfies Config;
