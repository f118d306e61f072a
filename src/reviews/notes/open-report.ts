import { type ComponentType, createContext } from "react";
import type { ApiRequest } from "../../browser/api-request-client.ts";
import type { ReviewerSession, SignedInRequest } from "../../browser/signed-in-request.ts";

/** A note that is reported, and the element that gets the focus once its report is sent or cancelled. */
export interface OpenReport {
  note: { id: string; text: string };
  button: HTMLElement;
}

/** What the dialog that reports a note is given. */
export interface ReporterProps extends OpenReport {
  api: { request: ApiRequest; send: SignedInRequest; session: ReviewerSession };
  onClosed: () => void;
}

/**
 * The form that reports a note without scripts. Only the server has one, so browsers get no script for it.
 */
export const ReportFormContext = createContext<ComponentType<{ noteId: string }> | null>(null);
