import { index, type RouteConfig, route } from "@react-router/dev/routes";

export default [index("./shows/page.tsx"), route("*", "./not-found.tsx")] satisfies RouteConfig;
