import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/** The importing file, and what it imports. */
type Import = [file: string, imports: string];

const refused: Import[] = [
  ["server/start.server.ts", "../main.server.ts"],
  ["app/root.tsx", "../server/app.server.ts"],
  ["app/routes/home.tsx", "../../cli/admin.ts"],
  ["cli/admin.ts", "../app/root.tsx"],
  ["accounts/end.server.ts", "../cli/users.ts"],
  ["moderation/store/queue.server.ts", "../../accounts/end.server.ts"],
  ["reviews/api/write.server.ts", "../../moderation/store/queue.server.ts"],
  ["shows/card.tsx", "../reviews/card/tallies.tsx"],
  ["auth/api/token.server.ts", "../../shows/preview/preview.server.ts"],
  ["refresh/publish.server.ts", "../legal/rules.ts"],
  ["offline/page.ts", "../auth/auth-texts.ts"],
  ["legal/terms.tsx", "../shows/card.tsx"],
  ["catalogue/sync.server.ts", "../refresh/publish.server.ts"],
  ["catalogue/list.server.ts", "../http/cache/send.server.ts"],
  ["jobs/queue.server.ts", "../config/environment.server.ts"],
  ["config/environment.server.ts", "../catalogue/list.ts"],
  ["http/cache/send.server.ts", "../../database/open.server.ts"],
  ["database/open.server.ts", "../jobs/queue.server.ts"],
  ["browser/storage.ts", "../catalogue/list.ts"],
  ["ui/button.tsx", "../browser/storage.ts"],
  ["domain/show.ts", "../ui/button.tsx"],
  ["lib/text.ts", "../domain/show.ts"],
  ["server/demo.server.ts", "../../dev/demo.ts"],
  ["shows/list.ts", "../../tests/support/shows.ts"],
  ["lib/time.ts", "../../scripts/build.ts"],
  ["domain/review.ts", "./review.server.ts"],
  ["shows/filters.tsx", "../database/query.server.ts"],
];

const accepted: Import[] = [
  ["main.server.ts", "./server/run.server.ts"],
  ["server/run.server.ts", "../cli/admin.ts"],
  ["app/root-page.server.tsx", "../reviews/store/table.server.ts"],
  ["app/entry.client.tsx", "./browser/scroll.ts"],
  ["accounts/copy.server.ts", "../moderation/store/queue.server.ts"],
  ["reviews/dialogs/review.tsx", "../../auth/auth-texts.ts"],
  ["moderation/ui/report.tsx", "../ui/fields.tsx"],
  ["shows/badge.server.ts", "../http/cache/send.server.ts"],
  ["browser/retry.ts", "../ui/toast.tsx"],
  ["lib/hash.server.ts", "./text.ts"],
  ["lib/text.test.ts", "../../tests/support/texts.ts"],
];

/** In every form that TypeScript has. */
const forms = [
  (path: string) => `import { a } from "${path}";\nconsole.log(a);\n`,
  (path: string) => `import type { A } from "${path}";\nexport const a: A = 1;\n`,
  (path: string) => `export const load = () => import("${path}");\n`,
  (path: string) => `export type A = import("${path}").A;\n`,
];

const cycle = {
  "src/http/a.ts": `import type { A } from "./b.ts";\nexport type B = A;\n`,
  "src/http/b.ts": `import type { B } from "./a.ts";\nexport type A = B;\n`,
  "src/http/barrel.ts": `export * from "./a.ts";\n`,
};

const toasts = [
  `errorToast("No.");\n`,
  `errorToast("No.", "topic");\n`,
  `showToast({ title: "Done", topic: "a" });\n`,
  `export const done: Toast = { title: "Done", description: "All." };\n`,
];

const toastsIn = (name: string) => toasts.map((text, form) => [`src/ui/${form}-${name}`, text] as const);

test("an import or a toast that breaks a rule is refused, in every form and wherever the clone lies", () => {
  const folder = mkdtempSync(join(tmpdir(), "front-row-imports-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // Below a folder that is called like one of ours.
  const clone = join(folder, "src/lib/front-row");
  const written = (imports: Import[]) =>
    imports.flatMap(([file, path], index) =>
      forms.map((write, form) => {
        const name = `src/${dirname(file)}/${path.length}-${index}-${form}-${basename(file)}`;
        return [name, write(path)] as const;
      }),
    );
  const bad = [...written(refused), ...Object.entries(cycle), ...toastsIn("dialog.ts")];
  const good = [...written(accepted), ...toastsIn("dialog-texts.ts")];
  for (const [name, text] of [...bad, ...good]) {
    mkdirSync(dirname(join(clone, name)), { recursive: true });
    writeFileSync(join(clone, name), text);
  }
  for (const file of ["biome.json", "import-rules.grit", "text-rules.grit"])
    copyFileSync(file, join(clone, file));
  const biome = join(process.cwd(), "node_modules/.bin/biome");
  const words = ["lint", "--vcs-enabled=false", "--max-diagnostics=none", "--reporter=github", "src"];
  const { stdout } = spawnSync(biome, words, { cwd: clone, encoding: "utf8" });
  const reports = stdout.matchAll(
    /title=(?:plugin|lint\/\w+\/no(?:ImportCycles|BarrelFile)),file=[^,]*?(src\/(?!lib\/front-row)[^,]+)/g,
  );
  const reported = new Set(reports.map(([, file]) => file));
  expect([...reported].sort()).toEqual(bad.map(([file]) => file).sort());
});
