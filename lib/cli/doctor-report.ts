import { doctor, doctorText } from "./doctor.js";

/** `mkglab doctor`. Exit code 1 when something is there and does not work. */
export async function doctorReport(flags: { json?: boolean }): Promise<void> {
  const report = await doctor({ env: process.env, cwd: process.cwd() });
  process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : `${doctorText(report)}\n`);
  if (report.checks.some((check) => check.status === "broken")) process.exitCode = 1;
}
