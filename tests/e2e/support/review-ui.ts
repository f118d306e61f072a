import type { Page } from "@playwright/test";
import type { Interaction } from "../../../src/domain/review.ts";
import { ago, givenReviews } from "../../support/given.ts";
import type { AccountsEnvironment } from "./accounts.ts";
import { showIdOf } from "./programme.ts";
import { expect } from "./test.ts";
import { uiOf } from "./ui.ts";

/** Each by a new user, newest first. Resolves when every server shows them. */
export async function insertReviewsWithNotes(
  environment: AccountsEnvironment,
  title: string,
  interaction: Interaction,
  notes: string[],
): Promise<void> {
  const review = { show_id: showIdOf(title), audience_interaction: interaction };
  const rows = notes.map((text, age) => ({ ...review, notes: text, created_at: ago({ minutes: age + 1 }) }));
  await givenReviews(environment.database.db, rows);
  await waitUntilCounted(environment, title, { [interaction]: notes.length });
}

/** Resolves when every server has these tallies. From then on they serve its notes, too. */
async function waitUntilCounted(
  environment: AccountsEnvironment,
  title: string,
  counts: Partial<Record<Interaction, number>>,
): Promise<void> {
  const address = `/api/shows?search=${encodeURIComponent(title)}`;
  for (const { api } of environment.servers) {
    const tallies = async () => (await (await api(address)).json()).shows[0].reviews;
    await expect.poll(tallies).toMatchObject(counts);
  }
}

export async function userIdOf({ database }: AccountsEnvironment, email: string): Promise<string> {
  const user = database.db.selectFrom("users").select("id").where("email", "=", email);
  return (await user.executeTakeFirstOrThrow()).id;
}

export function reviewsOf(environment: AccountsEnvironment, email: string) {
  return environment.database.db
    .selectFrom("reviews")
    .innerJoin("users", "users.id", "reviews.user_id")
    .innerJoin("shows", "shows.id", "reviews.show_id")
    .where("users.email", "=", email)
    .select(["title", "audience_interaction", "notes"])
    .execute();
}

export const thanks = ["Review submitted!", "Thank you for sharing your experience."] as const;

export async function expectToast(
  page: Page,
  [title, description]: readonly [string, string],
  kind: "status" | "alert" = "alert",
): Promise<void> {
  const { toasts, messages } = uiOf(page);
  const toast = kind === "alert" ? toasts.getByRole("alert") : messages;
  await expect(toast.getByText(title, { exact: true })).toBeVisible();
  await expect(toast.getByText(description, { exact: true })).toBeVisible();
  await expect(toast).toHaveCount(1);
}

export function recordReviewWrites(page: Page): unknown[] {
  const sent: unknown[] = [];
  page.on("request", (request) => request.method() === "PUT" && sent.push(request.postDataJSON()));
  return sent;
}
