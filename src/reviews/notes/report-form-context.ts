import { type ComponentType, createContext } from "react";

/**
 * The form that reports a note without scripts. Only the server has one, so browsers get no script for it.
 */
export const ReportFormContext = createContext<ComponentType<{ noteId: string }> | null>(null);
