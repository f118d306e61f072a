import { useEffect, useEffectEvent, useRef } from "react";
import { useLocation, useNavigate } from "react-router";
import { useToast } from "../../../ui/toast.tsx";
import type { SessionClient } from "../session/session-client.ts";
import { takeSignInReturn } from "./return-client.ts";

interface SignInReturnProps {
  client: SessionClient;
  operatorEmail: string | null;
}

/** Finishes a sign-in after the redirect back, or shows a failure where the sign-in was started. */
export function SignInReturn({ client, operatorEmail }: SignInReturnProps) {
  const showToast = useToast();
  const replacePage = useReplacePage();

  const finish = useEffectEvent(() =>
    takeSignInReturn()?.({ client, operatorEmail, replacePage, showToast }),
  );
  useEffect(() => {
    finish();
  }, []);
  return null;
}

/** The result navigates in place of the page, and resolves when the other one is on screen. */
function useReplacePage(): (address: string) => Promise<void> {
  const navigate = useNavigate();
  const { key } = useLocation();
  const onShown = useRef<() => void>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every history entry
  useEffect(() => onShown.current?.(), [key]);
  return (address) =>
    new Promise((resolve) => {
      onShown.current = resolve;
      navigate(address, { replace: true, preventScrollReset: true });
    });
}
