import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react";
import { discardUserData } from "../../../browser/user-data-client.ts";
import type { Provider } from "../../../domain/account.ts";
import { useToast } from "../../../ui/toast.tsx";
import { useOAuthCallback } from "../sign-in/oauth-callback.ts";
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
