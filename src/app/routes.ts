import { index, type RouteConfig, route } from "@react-router/dev/routes";

export default [
  index("./routes/home.tsx"),
  route("auth", "./routes/sign-in.tsx", { caseSensitive: true }),
  route("terms", "./routes/terms.tsx", { caseSensitive: true }),
  route("privacy", "./routes/privacy.tsx", { caseSensitive: true }),
  route("*", "./routes/not-found.tsx"),
] satisfies RouteConfig;
