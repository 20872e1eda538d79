import { expect, test } from "bun:test";
import { parseJson } from "#lib/json.ts";
import { memberOf } from "#lib/values.ts";
import { runLimited } from "#test/agents/limited-run.ts";
import { writeDocument } from "./document.ts";

test("the API document has no error and no warning in a public linter", async () => {
  using document = writeDocument();
  const cli = `${process.cwd()}/node_modules/@redocly/cli/bin/cli.js`;
  const { code, stdout, stderr } = await runLimited(
    "node",
    [cli, "lint", document.path, "--format=json"],
    {
      cwd: document.folder,
      // Neither reports its use nor looks for newer versions.
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      limitMs: 60_000,
    },
  );

  const report = parseJson(stdout);
  expect(memberOf(report, "problems") ?? stderr).toEqual([]);
  expect(memberOf(report, "totals")).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  expect(code).toBe(0);
}, 90_000);
