import { type ApiRequest, hasErrorCode } from "./api-request-client.ts";

/** The part of the session that reviewing needs. */
export interface ReviewerSession {
  /** The current session. Another tab may have changed it. */
  current(): { status: string; user?: { id: string } };
  accessToken(): Promise<string | null>;
  renewToken(): Promise<string | null>;
}

/** The session has ended, or is another user's. */
export class SignedOutError extends Error {}

/** Sends a request as a user, within the time limit. @throws SignedOutError, and when it fails otherwise */
export type SignedInRequest = (userId: string, path: string, init: RequestInit) => Promise<unknown>;

/** The codes of the API and of the sign-in protocol for an access token that is refused. */
const refused = ["authentication_required", "bad_jwt", "session_not_found"];

/** The default time limit, in ms: longer than any working network needs. */
const SEND_TIMEOUT = 30_000;

/**
 * Creates the function that sends requests with the access token of a user. A token that is refused is
 * renewed once (docs/product.md §5.12): the browser's clock may be wrong, or the session was changed
 * elsewhere.
 * @param timeout in ms
 */
export function createSignedInRequest(
  request: ApiRequest,
  session: ReviewerSession,
  timeout = SEND_TIMEOUT,
): SignedInRequest {
  async function tokenOf(userId: string, getToken: () => Promise<string | null>): Promise<string> {
    const token = await getToken();
    if (token === null || session.current().user?.id !== userId) throw new SignedOutError();
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
      throw isRefused(error) ? new SignedOutError() : error;
    }
  }

  return async (userId, path, init) => {
    // The time limit covers the token, too: it may never come. Nothing is sent after it.
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timedOut = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        abort.abort();
        reject(new Error("The request got no response in time"));
      }, timeout);
    });
    return Promise.race([send(userId, path, { ...init, signal: abort.signal }), timedOut]).finally(() =>
      clearTimeout(timer),
    );
  };
}

function isRefused(error: unknown): boolean {
  return refused.some((code) => hasErrorCode(error, code));
}
