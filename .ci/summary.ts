import { readFileSync } from "node:fs";

// Reads Vitest's JSON report, prints the one line that sums it up, and fails on failures, on no tests at all, and on a
// skip that is not of captured data kept outside the checkout (such a test names its data "where present").
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[];
}

const report: Report = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const skipped = report.testResults
  .flatMap((file) => file.assertionResults)
  .filter(({ status }) => status !== "passed" && status !== "failed");
const unexpected = skipped.filter(({ fullName }) => !fullName.includes("where present"));
const brokenFiles = report.testResults.filter(
  ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
);
for (const { fullName } of unexpected) console.log(`skipped, though it should run: ${fullName}`);
for (const { name } of brokenFiles) console.log(`did not run: ${name}`);
const failed = report.numFailedTests + unexpected.length + brokenFiles.length;
console.log(
  `${report.numPassedTests} passed, ${failed} failed, ${skipped.length - unexpected.length} skipped`,
);
process.exitCode = failed > 0 || report.numPassedTests === 0 ? 1 : 0;
