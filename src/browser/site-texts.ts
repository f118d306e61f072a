import { errorToast, type Toast } from "../ui/toasts.ts";

export const unexpectedError = errorToast("An unexpected error occurred");

export const pageNotLoaded = errorToast("This page could not be loaded. Please try again.");

export const scriptNotLoaded = errorToast("Please try again.");

export const siteUpdated: Toast = {
  title: "The site was updated",
  description: "Please reload the page. What you typed is kept.",
  action: { label: "Reload", run: () => window.location.reload() },
};
