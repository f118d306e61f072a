// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { openReviewing, refused } from "../../../tests/support/reviewing.tsx";

test("a report keeps its draft until it is sent or cancelled", async () => {
  const { one, press, type, pressEscape, site, toast, notes, chosen, isOpen } = await openReviewing({
    user: null,
  });
  const { reported } = site;
  const reopen = async () => {
    expect(isOpen()).toBe(false);
    await press("Report Tea");
  };
  await reopen();
  expect(one("blockquote").textContent).toBe("Loud.");
  await press("It is abusive");
  await type("He\u0007 swore\0 at");
  expect(one(".field-counter").textContent).toBe("11/300 characters");
  await pressEscape();
  await reopen();
  expect([chosen(), notes()]).toEqual(["abusive", "He swore at"]);
  site.reported = () => refused(503, "unavailable");
  await press("Send");
  expect(toast().at(-1)).toMatch(/^Your report could not be sent\./);
  expect(notes()).toBe("He swore at");
  await press("Cancel");
  await reopen();
  expect(notes()).toBe("");
  site.reported = reported;
  await press("It is abusive");
  await type("He swore at me");
  await press("Send");
  expect(toast()[0]).toBe("Note reported");
  await reopen();
  expect(notes()).toBe("");
});
