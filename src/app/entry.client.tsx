import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { captureSignInReturn } from "../auth/ui/return-client.ts";
import { afterPaint } from "../ui/after-paint.ts";
import { watchHistory } from "../ui/back-entry-client.ts";
import { createTrustedTypesPolicy } from "../ui/trusted-types-client.ts";

createTrustedTypesPolicy();
await captureSignInReturn();
watchHistory();

// The page is readable without scripts, and hydration would delay its first paint.
await afterPaint();
startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <HydratedRouter />
    </StrictMode>,
    {
      onRecoverableError(error) {
        console.error("The page was changed on its way:", error);
        window.restoreEarlyInput?.();
      },
    },
  );
});
