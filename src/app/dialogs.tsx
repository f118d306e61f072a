import { ReportDialog } from "../moderation/ui/report-dialog.tsx";
import { Reviewer, type ReviewerProps } from "../reviews/provider/reviewer.tsx";

/**
 * What only signed-in users and reporters of notes need. Nothing else imports it or what it alone imports, so
 * that all of it is one script, which the first load goes without.
 */
export function Dialogs(props: Omit<ReviewerProps, "ReportDialog">) {
  return <Reviewer {...props} ReportDialog={ReportDialog} />;
}
