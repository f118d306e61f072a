import { insertLink } from "../../src/moderation/store/queue-links.server.ts";
import { givenReportedNote, givenUsers } from "../support/given.ts";
import { test } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import { showIdOf } from "./support/programme.ts";
import { expect } from "./support/test.ts";
import { overflowOf } from "./support/ui.ts";

test.use({ viewport: { width: 320, height: 640 } });

test("a helper decides on a phone, with the keyboard alone as well", { tag: "@measures" }, async ({
  page,
  environment,
}) => {
  const { db } = environment.database;
  const [show_id, users] = [showIdOf("Matinee 70"), await givenUsers(db, 2)];
  for (const [author_id, notes] of [
    [users[0] ?? "", `${"Gnurp".repeat(199)}.`],
    [users[1] ?? "", "اختاروا صديقتي من الصف الثالث."],
  ] as const) {
    const by = { reporter_id: users[0] ?? "", text: "It names me." };
    await givenReportedNote(db, { author_id, show_id, notes, ...by });
  }
  await page.goto((await insertLink(db, { name: "Mo", days: 1 })).path);
  const buttons = page.getByRole("button", { name: /^(Hide|Keep) the note of report \d+, Matinee 70$/ });
  await expect(buttons).toHaveCount(4);
  await expectAccessible(page);
  expect(await overflowOf(page)).toBe(0);
  const targets = await page.locator("a, button, summary").all();
  for (const target of targets) expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44);

  await buttons.first().focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status")).toHaveText("The note is hidden, and the answer still counts.");
  await page.getByRole("link", { name: "Latest decisions" }).press("Enter");
  await page.keyboard.press("Tab");
  await expect(page.locator(":focus")).toHaveAccessibleName(/^Undo the decision on report \d+, Matinee 70$/);
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status")).toContainText("is taken back");
  await expect(buttons).toHaveCount(4);
});
