import { expect, test } from "vitest";
import { callbackFailed } from "./oauth-callback-client.ts";

const inHeader = "It took too long. Please press Sign In again.";
const onAuthPage = "Signing in took too long. Please press the button again.";
const anew = "Google did not ask you to sign in again.";

test.each([
  ["header", "bad_oauth_state", "theirs", ["Sign in failed", inHeader]],
  ["auth-page", "flow_state_expired", null, ["Error", onAuthPage]],
  ["header", "reauthentication_needed", anew, ["Sign in failed", anew]],
  ["header", "reauthentication_needed", null, ["Sign in failed", "Please try again."]],
  ["header", "access_denied", "theirs", ["Sign in failed", "Please try again."]],
  ["auth-page", "access_denied", "theirs", ["Error", "theirs"]],
  ["auth-page", null, null, ["Error", "An unexpected error occurred"]],
] as const)("begun at the %s, %s with the message %j is %j", (place, errorCode, message, expected) => {
  const { title, description } = callbackFailed(place, { errorCode, message }, null);
  expect([title, description]).toEqual(expected);
});
