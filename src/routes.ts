import { index, type RouteConfig, route } from "@react-router/dev/routes";

export default [
  index("./shows/page.tsx"),
  route("auth", "./auth/page.tsx", { caseSensitive: true }),
  route("*", "./not-found.tsx"),
] satisfies RouteConfig;
