import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { filesBelow, fileText, ROOT } from "./support/deploy.ts";

const DOCUMENTS = [
  "README.md",
  ...["bench", "deploy", "schemas", "src", "test", "workers"]
    .flatMap(filesBelow)
    .filter((path) => path.endsWith("/README.md")),
];

/** What is shown as typed has lines with `#` and brackets of its own. */
const prose = (path: string) => fileText(path).replaceAll(/^ *```.*?^ *```$/gms, "");
const anchorsIn = (path: string) =>
  [...prose(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
/** Where the links within the repository lead, from its root. */
const linksOf = (path: string) =>
  [...prose(path).matchAll(/\]\(([^)]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !link.startsWith("https:"))
    .map((link) => {
      const [to = "", anchor] = link.split("#");
      return { link, target: to === "" ? path : join(dirname(path), to), anchor };
    });

test.for(DOCUMENTS)("%s leads only to what is there", (path) => {
  for (const { link, target, anchor } of linksOf(path)) {
    expect(existsSync(join(ROOT, target)), link).toBe(true);
    if (anchor !== undefined) expect(anchorsIn(target), link).toContain(anchor);
  }
});

test("every document is found from the README", () => {
  expect(linksOf("deploy/README.md").length).toBeGreaterThan(10);
  const found = new Set(["README.md"]);
  // A set is gone through to its end, whatever is added meanwhile.
  for (const path of found)
    for (const { target } of linksOf(path)) if (target.endsWith("README.md")) found.add(target);
  expect(DOCUMENTS.filter((path) => !found.has(path))).toEqual([]);
});
