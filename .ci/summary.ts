import { readFileSync } from "node:fs";

// Reads Vitest's JSON report and the fault suite's, prints the one line that sums them up, and fails on failures, on no
// tests at all, and on a skip that is not of captured data kept outside the checkout (such a test names its data "where
// present").
interface Assertion {
  status: string;
  fullName: string;
  failureMessages: string[];
}

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { name: string; status: string; message: string; assertionResults: Assertion[] }[];
}

interface Faults {
  passed: number;
  failed: number;
}

const MESSAGE_MAX = 2_000;

const report: Report = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
// What the fault suite has checked; nothing when it ended before it could check anything, which is a failure.
const written = readFileSync(process.argv[3] ?? "", "utf8");
const faults: Faults = written === "" ? { passed: 0, failed: 1 } : JSON.parse(written);
const skipped = report.testResults
  .flatMap((file) => file.assertionResults)
  .filter(({ status }) => status !== "passed" && status !== "failed");
const unexpected = skipped.filter(({ fullName }) => !fullName.includes("where present"));
const brokenFiles = report.testResults.filter(
  ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
);
for (const { fullName } of unexpected) console.log(`skipped, though it should run: ${fullName}`);
for (const { name } of brokenFiles) console.log(`did not run: ${name}`);
// Once more and last, where nobody has to search for it.
for (const { name, message, assertionResults } of report.testResults) {
  if (message !== "") console.log(`FAILED ${name}: ${message}`);
  for (const { fullName, failureMessages } of assertionResults.filter(({ status }) => status === "failed"))
    console.log(`FAILED ${name}: ${fullName}\n${failureMessages.join("\n").slice(0, MESSAGE_MAX)}`);
}
const failed = report.numFailedTests + faults.failed + unexpected.length + brokenFiles.length;
console.log(
  `${report.numPassedTests + faults.passed} passed, ${failed} failed, ${skipped.length - unexpected.length} skipped`,
);
process.exitCode = failed > 0 || report.numPassedTests === 0 ? 1 : 0;
