import type { LoaderFunction, RouteObject } from "react-router";
import { BrokenPage, NotFound, Root } from "./root.tsx";
import HomePage from "./routes/home.tsx";

export const ROOT = "root";

/**
 * @param loadList the server has found the list already, a browser requests it
 * @param textPages pages without scripts, which no browser's router opens
 */
export function createRoutes(loadList: LoaderFunction, textPages: RouteObject[] = []): RouteObject[] {
  return [
    {
      id: ROOT,
      Component: Root,
      ErrorBoundary: BrokenPage,
      children: [
        { id: "list", index: true, loader: loadList, Component: HomePage },
        {
          path: "auth",
          caseSensitive: true,
          lazy: async () => ({ Component: (await import("./routes/sign-in.tsx")).default }),
        },
        ...textPages,
        { path: "*", Component: NotFound },
      ],
    },
  ];
}
