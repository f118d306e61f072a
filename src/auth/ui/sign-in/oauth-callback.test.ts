// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from "vitest";
import type { SignInPlace } from "../auth-texts.ts";
import type { SessionClient } from "../session/session-client.ts";
import { SESSION_KEY } from "../session/session-store.ts";
import { finishSignIn } from "./finish-sign-in-client.ts";
import { keepSignIn, takeOAuthCallback } from "./oauth-callback.ts";

const id = "0af3".repeat(8);
const code = "q".repeat(43);
const scam = encodeURIComponent("Your account is locked. Call 0900 123 456.");

// Only the server's module has the script.
vi.resetModules();
vi.stubEnv("SSR", true);
const { keepOAuthCallback } = await import("./oauth-callback.ts");
vi.unstubAllEnvs();
const moveCallback = new Function(keepOAuthCallback);

afterEach(() => {
  vi.restoreAllMocks();
  sessionStorage.clear();
  localStorage.clear();
});

/** Without a verifier, auth-js refuses each code. */
const client = { finishSignIn: () => Promise.reject(new Error("no verifier")) } as unknown as SessionClient;

/** Returns the address afterwards, and the toasts. */
async function open(link: string): Promise<string[]> {
  history.replaceState(null, "", location.origin + link);
  moveCallback();
  const seen: string[] = [];
  const callback = takeOAuthCallback();
  if (callback)
    await finishSignIn(callback, {
      client,
      operatorEmail: null,
      replacePage: async (address) => history.replaceState(null, "", address),
      showToast: ({ title, description }) => seen.push(`${title}: ${description}`),
    });
  return [location.href.slice(location.origin.length), ...seen];
}

const foreignErrors = [
  "/?search=tea&error_code=17#shows",
  `/#error=access_denied&error_description=${scam}`,
  `/auth?error=server_error&error_description=${scam}&sb_flow_id=${id}`,
];

const noCallbacks = ["/?search=code&page=2", "/auth", "/#shows", "/?decode=1&errors=2", "/?sb_flow_id=0af3"];

test.each([
  ...[...foreignErrors, ...noCallbacks].map((link) => [link, link] as const),
  ["/?search=a%20b&code=4f6-x&yes=1&yes=2#shows", "/?search=a+b&yes=1&yes=2#shows"],
  ["/?sb_flow_id=0af3&code=1&error=server_error", "/"],
  ["/#code=4f6-x", "/"],
  ["/?code=", "/"],
  ["//elsewhere.example/?code=4f6-x", "//elsewhere.example/"],
  ["/?search=tea&code=4%2F0AVMBsJ&scope=email#shows", "/?search=tea&scope=email#shows"],
  [`/auth?code=${scam}&sb_flow_id=${id}`, "/auth"],
  [`/?code=17&sb_flow_id=${id}`, "/"],
  [`/?code=${"q".repeat(129)}&sb_flow_id=${id}`, "/"],
  [`/?code=${code}&sb_flow_id=0af3`, "/"],
  [`/?code=${code}&sb_flow_id=%3Cb%3E0af30af3%3C%2Fb%3E`, "/"],
] as const)("%s, of no sign-in attempt, becomes %s without a message", async (link, address) => {
  expect(await open(link)).toEqual([address]);
});

test("an attempt that was begun in another browser says so, also where storage is blocked", async () => {
  const expected = ["/", "Sign in failed: Please finish signing in in the browser where you began."];
  for (const own of [code, "6f1f3c2e-8f0b-4f0a-9a0e-3f7c1d2b4a5e"])
    expect(await open(`/?code=${own}&sb_flow_id=${id}`)).toEqual(expected);
  vi.spyOn(window, "localStorage", "get").mockImplementation(() => {
    throw new DOMException("Access is denied for this document.", "SecurityError");
  });
  expect(await open(`/?code=${code}&sb_flow_id=${id}`)).toEqual(expected);
});

const tryAgain = "Please try again.";
const unexpected = "An unexpected error occurred";
const unavailable = "Signing in with your provider does not work just now. Please try again in a moment.";
const anew = "Google did not ask you to sign in again.";

async function expectFailure(place: SignInPlace, link: string, description: string): Promise<void> {
  keepSignIn({ place, attemptId: id });
  const [address, title] = place === "header" ? ["/", "Sign in failed"] : ["/auth", "Error"];
  expect(await open(link)).toEqual([address, `${title}: ${description}`]);
}

test.each([
  ["header", "bad_oauth_state", "theirs", "It took too long. Please press Sign In again."],
  ["auth-page", "flow_state_expired", "", "Signing in took too long. Please press the button again."],
  ["header", "reauthentication_needed", anew, anew],
  ["header", "reauthentication_needed", "", tryAgain],
  ["header", "access_denied", "theirs", tryAgain],
  ["auth-page", "access_denied", "<b>Refusé</b>\non two lines", "<b>Refusé</b> on two lines"],
  ["auth-page", "", "", unexpected],
  ["auth-page", "", "Not\r\n\ttoday\u0000\u0007, \u202emoc.live\u2066 ", "Not today , moc.live"],
  ["auth-page", "", "🎭".repeat(400), "🎭".repeat(300)],
] as const)(
  "begun at the %s, the error %s with the message %j is %j",
  async (place, code, text, expected) => {
    localStorage.setItem(`${SESSION_KEY}-flow-${id}-code-verifier`, "v");
    const error = { error: "x", error_code: code, error_description: text, sb_flow_id: id };
    await expectFailure(place, `/?${new URLSearchParams(error)}`, expected);
  },
);

test.each([
  ["auth-page", `/auth#error=x&error_description=${scam}`, unexpected],
  ["auth-page", `/?error=x&error_description=${scam}&sb_flow_id=${"1".repeat(32)}`, unexpected],
  ["auth-page", `/?error=x&error_code=unavailable&error_description=${scam}`, unavailable],
  ["header", `/?code=${code}&sb_flow_id=${id}`, tryAgain],
] as const)("without a verifier, begun at the %s, %s shows no text of the link", expectFailure);

test("an abandoned attempt shows nothing at a later link", async () => {
  keepSignIn({ place: "auth-page", attemptId: id });
  for (const link of ["/", "/?error=x"]) expect(await open(link)).toEqual([link]);
});
