import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { useLocation, useNavigate } from "react-router";
import { discardUserData } from "../../../browser/user-data-client.ts";
import { useToast } from "../../../ui/toast.tsx";
import type { Provider } from "../../session.ts";
import { takeOAuthCallback } from "../sign-in/capture-callback-client.ts";
import { createSessionClient, type SessionClient } from "./session-client.ts";
import { type SessionState, unknownSession } from "./session-store.ts";

interface Accounts {
  client: SessionClient;
  providers: readonly Provider[];
}

const AccountsContext = createContext<Accounts | null>(null);

interface SessionProviderProps {
  clientKey: string;
  providers: readonly Provider[];
  operatorEmail: string | null;
  children: ReactNode;
}

export function SessionProvider({ clientKey, providers, operatorEmail, children }: SessionProviderProps) {
  const [client] = useState(() =>
    createSessionClient({
      storage: () => window.localStorage,
      discardUserData,
      loadAuth: async (onAccountEnd) =>
        (await import("./auth-js-client.ts")).createAuthClient(clientKey, operatorEmail, onAccountEnd),
    }),
  );
  useOAuthCallback(client, operatorEmail);
  useEffect(() => client.watch(window), [client]);
  useEndToast(client);
  const accounts = useMemo(() => ({ client, providers }), [client, providers]);
  return <AccountsContext value={accounts}>{children}</AccountsContext>;
}

/** Finishes a sign-in after the OAuth callback. Shows a failure where the sign-in was started. */
function useOAuthCallback(client: SessionClient, operatorEmail: string | null): void {
  const showToast = useToast();
  const replacePage = useReplacePage();
  const finish = useEffectEvent(() =>
    takeOAuthCallback()?.({ client, operatorEmail, replacePage, showToast }).catch(console.error),
  );
  useEffect(() => {
    void finish();
  }, []);
}

function useReplacePage(): (address: string) => Promise<void> {
  const navigate = useNavigate();
  const { key } = useLocation();
  const onShown = useRef<() => void>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every history entry
  useEffect(() => onShown.current?.(), [key]);
  return (address) =>
    new Promise((resolve) => {
      onShown.current = resolve;
      void navigate(address, { replace: true, preventScrollReset: true });
    });
}

/** Says at once why the session has ended: the refresh that finds out may run in the background. */
function useEndToast({ subscribe, endToast }: SessionClient): void {
  const showToast = useToast();
  const toast = useSyncExternalStore(subscribe, endToast, () => null);
  useEffect(() => {
    if (toast) showToast(toast);
  }, [toast, showToast]);
}

export function useAccounts(): Accounts {
  const accounts = useContext(AccountsContext);
  if (!accounts) throw new Error("No SessionProvider");
  return accounts;
}

/** `unknown` during server rendering and hydration. */
export function useSession(): SessionState {
  const { client } = useAccounts();
  return useSyncExternalStore(client.subscribe, client.current, () => unknownSession);
}
