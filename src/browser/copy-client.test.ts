// @vitest-environment happy-dom
import { expect, test, vi } from "vitest";
import { copyHtml, copyLink } from "./copy-client.ts";

test.each([
  ["the clipboard", async () => {}, () => false, true],
  ["the selection, where the clipboard is refused", () => Promise.reject(new Error("no")), () => true, true],
  ["nothing", () => Promise.reject(new Error("no")), () => false, false],
])("what was copied by %s is said as it is", async (_, writeText, execCommand, isCopied) => {
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  document.execCommand = execCommand;
  document.body.innerHTML = "<button>Copy</button>";
  document.querySelector("button")?.focus();
  expect(await copyLink("https://a.example/", "Paste it.")).toEqual(
    isCopied
      ? { title: "Link copied", description: "Paste it." }
      : { title: "The link could not be copied", description: "https://a.example/", destructive: true },
  );
  expect(await copyHtml("<a>")).toMatchObject({
    title: isCopied ? "HTML copied" : "The HTML could not be copied",
  });
  expect(document.body.innerHTML).toBe("<button>Copy</button>");
  expect(document.activeElement?.textContent).toBe("Copy");
});
