import { type FormEvent, useId, useState } from "react";
import { useRevalidator } from "react-router";
import { errorCodeOf } from "../../browser/requests/api-request-client.ts";
import type { SignedInRequest } from "../../browser/requests/signed-in-request.ts";
import { useFailureToast } from "../../browser/requests/use-failure-toast.ts";
import { useLoad } from "../../browser/use-load.ts";
import { useSingleFlight } from "../../browser/use-single-flight.ts";
import { discardUserData } from "../../browser/user-data-client.ts";
import { providerNames } from "../../domain/account.ts";
import { plural } from "../../lib/format.ts";
import { useToast } from "../../ui/toast.tsx";
import { countSessions, deleteAccount, exportData } from "../state/own-data-client.ts";
import {
  accountDeleted,
  actionFailed,
  ownDataTopic,
  reauthenticationNeeded,
  wrongEmail,
} from "../state/own-reviews-texts.ts";
import type { AccountActions } from "../state/review-state.ts";
import { useReviews } from "../state/reviews-provider.tsx";

interface OwnAccountProps {
  userId: string;
  send: SignedInRequest;
  account: AccountActions;
  onClosed: () => void;
}

export function OwnAccount(props: OwnAccountProps) {
  const { userId, send, account, onClosed } = props;
  const { asksBeforeSignOut } = useReviews();
  const countId = useId();
  const orToast = useFailureToast(ownDataTopic);
  const [busy, run] = useSingleFlight();
  const [sessions, setSessions] = useState<number | null>(null);
  useLoad({
    key: userId,
    load: async () => setSessions(await countSessions(send, userId)),
    failure: "Your sessions could not be counted:",
  });

  async function signOut(): Promise<void> {
    if (await account.signOut()) onClosed();
  }

  async function download(): Promise<void> {
    const data = await orToast(() => exportData(send, userId), actionFailed("download"));
    if (data) saveFile("front-row-my-data.json", JSON.stringify(data, null, 2));
  }

  return (
    <section className="own-account stack" aria-label="Your data">
      <div className="own-actions row">
        <button
          type="button"
          className="button"
          aria-disabled={busy || undefined}
          aria-describedby={countId}
          onClick={({ currentTarget }) => asksBeforeSignOut(currentTarget) || run(signOut)}
        >
          Sign out everywhere
        </button>
        <span id={countId} className="muted">
          {sessions !== null && plural(sessions, "session")}
        </span>
      </div>
      <button
        type="button"
        className="button fit"
        aria-disabled={busy || undefined}
        onClick={() => run(download)}
      >
        Download my data
      </button>
      <details>
        <summary>Delete my account</summary>
        <DeletionForm {...props} />
      </details>
    </section>
  );
}

const problems = ["wrong_email", "reauthentication_needed"] as const;

function DeletionForm({ userId, send, account, onClosed }: OwnAccountProps) {
  const id = useId();
  const showToast = useToast();
  const { revalidate } = useRevalidator();
  const orToast = useFailureToast(ownDataTopic);
  const [problem, setProblem] = useState<(typeof problems)[number] | null>(null);
  const [busy, run] = useSingleFlight();

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const email = String(new FormData(event.currentTarget).get("email") ?? "");
    void run(async () => {
      setProblem(null);
      const deleted = await orToast(
        () => deleteAccount(send, userId, email),
        (error) => {
          const shown = problems.find((code) => code === errorCodeOf(error));
          if (!shown) return actionFailed("delete")(error);
          setProblem(shown);
          return null;
        },
      );
      if (deleted) await finish();
    });
  }

  async function finish(): Promise<void> {
    discardUserData(userId);
    onClosed();
    showToast(accountDeleted);
    await account.forget().catch((error) => console.error("The session could not be forgotten:", error));
    await revalidate();
  }

  return (
    <form className="stack" onSubmit={submit}>
      <p>
        This deletes your account, all your reviews and their notes, at once and for good. You can download
        your data first.
      </p>
      <div className="field">
        <label htmlFor={id}>Type your e-mail to confirm</label>
        <input
          id={id}
          name="email"
          type="text"
          inputMode="email"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          required
          aria-invalid={problem === "wrong_email" || undefined}
          aria-describedby={`${id}problem`}
        />
      </div>
      <p id={`${id}problem`} className="field-error" role="alert">
        {problem === "wrong_email" && wrongEmail}
        {problem === "reauthentication_needed" && reauthenticationNeeded}
      </p>
      {problem === "reauthentication_needed" &&
        account.providers.map((provider) => (
          <button
            key={provider}
            type="button"
            className="button"
            onClick={() => run(() => account.signIn(provider, true))}
          >
            {`Continue with ${providerNames[provider]}`}
          </button>
        ))}
      <button type="submit" className="button button-danger button-strong" aria-disabled={busy || undefined}>
        {busy ? "Please wait..." : "Delete account"}
      </button>
    </form>
  );
}

function saveFile(name: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  Object.assign(document.createElement("a"), { href, download: name }).click();
}
