import { spawnSync } from "node:child_process";
import { expect, test } from "bun:test";
import manifest from "#package.json" with { type: "json" };
import { openSimulated } from "#test/harness.ts";

const ask = (model: string, stream = false) => ({
  model,
  stream,
  messages: [{ role: "user", content: "hi" }],
});

test("a gateway that served, failed and refused calls has them in its metrics", async () => {
  const yaml = "keys: [{ name: poor, key: a-key-without-money-0123456789, quota: 0 }]\n";
  const env = { SLUICE_USER_RPM: "6" };
  await using gateway = await openSimulated({ yaml, env });
  const post = async (body: object, key?: string): Promise<number> => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const response = await gateway.post("/v1/chat/completions", body, headers);
    await response.text();
    return response.status;
  };

  expect(await post(ask("gpt-4o"))).toBe(200);
  expect(await post(ask("gpt-4o", true))).toBe(200);
  expect(await post(ask("no such model"))).toBe(404);
  expect(await post(ask("gpt-4o"), "a-wrong-key-0123456789abcdef")).toBe(401);
  expect(await post(ask("gpt-4o"), "a-key-without-money-0123456789")).toBe(402);
  await (await fetch(`${gateway.url}/v1/chat/nonsense`, { method: "POST" })).text();
  for (let i = 0; i < 8; i++) await post(ask("gpt-4o"));

  const text = await (await gateway.get("/metrics")).text();
  const value = (sample: string): number => {
    const line = text.split("\n").find((each) => each.startsWith(`${sample} `));
    return Number(line?.slice(sample.length + 1) ?? Number.NaN);
  };
  const one = 'channel="sim",model="gpt-4o",style="chat",endpoint="text"';
  expect(value(`sluice_calls_total{${one},outcome="completed"}`)).toBeGreaterThanOrEqual(2);
  expect(value(`sluice_first_byte_seconds_count{${one}}`)).toBeGreaterThanOrEqual(2);
  expect(
    value('sluice_overhead_seconds_count{style="chat",endpoint="text"}'),
  ).toBeGreaterThanOrEqual(2);
  expect(value('sluice_refused_total{status="404",reason="model_not_found"}')).toBe(1);
  expect(value('sluice_refused_total{status="404",reason="unknown_path"}')).toBe(1);
  expect(value('sluice_refused_total{status="401",reason="unauthenticated"}')).toBe(1);
  expect(value('sluice_refused_total{status="402",reason="out_of_quota"}')).toBe(1);
  expect(value('sluice_refused_total{status="429",reason="rate_limited"}')).toBeGreaterThan(0);
  expect(text).not.toContain("no such model");
  const build = `version="${manifest.version}",runtime="bun ${process.versions.bun}",database="sqlite"`;
  expect(value(`sluice_build_info{${build}}`)).toBe(1);
  for (const [path, name] of [
    ["/livez", "version"],
    ["/api/hello", "version"],
    ["/openapi.json", "info"],
  ] as const) {
    const shown = (await (await gateway.get(path)).json()) as Record<string, unknown>;
    expect([path, shown[name]]).toMatchObject([
      path,
      name === "info" ? { version: manifest.version } : manifest.version,
    ]);
  }
  expect(value("sluice_database_up")).toBe(1);
  expect(value("sluice_ledger_queue")).toBeGreaterThanOrEqual(0);
  expect(value("sluice_ledger_commit_seconds_count")).toBeGreaterThan(0);
  expect(value('sluice_open_connections{kind="request"}')).toBeGreaterThanOrEqual(1);
  expect(value("sluice_event_loop_delay_seconds_count")).toBeGreaterThanOrEqual(0);
  checkWithPromtool(text);
});

/** Prometheus's own linter, if it is installed. */
function checkWithPromtool(text: string): void {
  const checked = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
  if (checked.error !== undefined) {
    process.stderr.write("promtool is not installed: Prometheus does not check the format.\n");
    return;
  }
  // It also advises on names, which are public and stay.
  expect(checked.stderr).not.toContain("error while linting");
}
