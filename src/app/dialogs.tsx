import { ReportDialog } from "../moderation/ui/report-dialog.tsx";
import { Reviewer, type ReviewerProps } from "../reviews/provider/reviewer.tsx";

/** What the first load goes without. Nothing else imports it or what it alone imports: it is one script. */
export function Dialogs(props: Omit<ReviewerProps, "ReportDialog">) {
  return <Reviewer {...props} ReportDialog={ReportDialog} />;
}
