import { untilAborted } from "../../lib/bounded-wait.ts";
import type { Toast } from "../../ui/toasts.ts";
import { type ApiRequest, errorCodeOf, withTimeLimit } from "./api-request-client.ts";

export interface UserSession {
  /** The current session. Another tab may have changed it. */
  current(): { status: string; user?: { id: string; email?: string | undefined } };
  accessToken(): Promise<string | null>;
  renewToken(): Promise<string | null>;
  endToast(): Toast | null;
}

export class SignedOutError extends Error {
  /** Says why, if the account has ended. */
  readonly endToast: Toast | null;

  constructor(session: UserSession) {
    super("The session has ended, or is another user's");
    this.endToast = session.endToast();
  }
}

/** @throws SignedOutError, or the error of the request */
export type SignedInRequest = (userId: string, path: string, init: RequestInit) => Promise<unknown>;

const refused = ["authentication_required", "bad_jwt", "session_not_found"];

/** In ms: longer than any working network needs. */
export const SEND_TIMEOUT = 30_000;

/** Renews a refused token once (docs/product.md §5.12): clocks may be wrong. @param timeout in ms */
export function createSignedInRequest(
  request: ApiRequest,
  session: UserSession,
  timeout = SEND_TIMEOUT,
): SignedInRequest {
  async function tokenOf(userId: string, getToken: () => Promise<string | null>): Promise<string> {
    const token = await getToken();
    if (token === null || session.current().user?.id !== userId) throw new SignedOutError(session);
    return token;
  }

  async function send(userId: string, path: string, init: RequestInit): Promise<unknown> {
    try {
      return await request(path, { ...init, token: await tokenOf(userId, session.accessToken) });
    } catch (error) {
      if (!isRefused(error)) throw error;
    }
    try {
      return await request(path, { ...init, token: await tokenOf(userId, session.renewToken) });
    } catch (error) {
      throw isRefused(error) ? new SignedOutError(session) : error;
    }
  }

  return (userId, path, init) => {
    // The time limit includes getting the token, which may never come. Nothing is sent after it.
    const signal = withTimeLimit(init.signal, timeout);
    return untilAborted(signal, send(userId, path, { ...init, signal }));
  };
}

function isRefused(error: unknown): boolean {
  return refused.includes(errorCodeOf(error));
}

export function asJson(method: string, body: unknown): RequestInit {
  return { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}
