import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { captureSignInReturn } from "../auth/ui/return-client.ts";
import { createTrustedTypesPolicy } from "../ui/trusted-types-client.ts";

createTrustedTypesPolicy();
captureSignInReturn();

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <HydratedRouter />
    </StrictMode>,
  );
});
