import { useEffect, useEffectEvent } from "react";
import { useLocation, useNavigate } from "react-router";
import { useToast } from "../../ui/toast.tsx";
import { takeSignInReturn } from "./return-client.ts";
import type { SessionClient } from "./session-client.ts";

/** Finishes a sign-in after the redirect back, or shows a failure where the sign-in was started. */
export function SignInReturn({ client }: { client: SessionClient }) {
  const showToast = useToast();
  const navigate = useNavigate();
  const { pathname } = useLocation();

  const finish = useEffectEvent(async () => {
    const failed = await takeSignInReturn()?.(client);
    if (!failed) return;
    if (failed.place === "auth-page" && pathname !== "/auth") await navigate("/auth", { replace: true });
    showToast(failed.toast);
  });
  useEffect(() => {
    finish();
  }, []);
  return null;
}
