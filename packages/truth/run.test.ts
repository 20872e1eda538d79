import { expect, test } from "bun:test";
import { SLUICE } from "./adapters/sluice.ts";
import { adapter as TEMPLATE } from "./adapters/template.ts";
import { EXPERIMENTS } from "./experiments/all.ts";
import type { Finding } from "./experiments/experiment.ts";
import type { Adapter } from "./gateway/adapter.ts";
import { runExperiments } from "./run.ts";

const LIMIT_MS = 120_000;
const SCALE = 0.02;
/** `npm test` compiles the gateway, which then starts in a third of the time. */
const COMPILED = process.env["TEST_PROGRAM"] ?? "";
const GATEWAY = COMPILED === "" ? [process.execPath, "src/main.ts"] : [COMPILED];
/** Of the template, which has no limits of its own: calls without an end take less time. */
const SILENCE_MS = 2_000;

/** Findings by the experiments' ids. */
async function findingsOf(
  adapter: Adapter,
  only: readonly string[],
  program?: readonly string[],
): Promise<ReadonlyMap<string, Finding>> {
  const findings = new Map<string, Finding>();
  await runExperiments({
    adapter,
    experiments: EXPERIMENTS.filter(({ id }) => only.includes(id)),
    scale: SCALE,
    ...(program === undefined ? { silenceMs: SILENCE_MS } : {}),
    ...(program === undefined ? {} : { program }),
    onFinding: ({ id }, finding) => void findings.set(id, finding),
  });
  return findings;
}

test(
  "a gateway that compares quotas late and writes money in batches fails the rules about both",
  async () => {
    const only = ["calls", "stream-hang-ups", "whole-quota", "faults", "kill-after-answers"];
    const findings = await findingsOf(TEMPLATE, only);

    expect(findings.get("calls")).toMatchObject({ holds: true, figures: { answered: 50 } });
    expect(findings.get("stream-hang-ups")).toMatchObject({
      holds: false,
      figures: { aborted: 0 },
    });
    expect(findings.get("whole-quota")).toMatchObject({ holds: false, figures: { answered: 200 } });
    expect(findings.get("kill-after-answers")?.holds).toBe(false);
    const faults = findings.get("faults");
    expect(faults?.holds).toBe(false);
    expect(faults?.figures["shown as complete"]).toContain("stream ended in the middle");
    expect(faults?.figures["hang"]).toContain("silence in the middle");
  },
  LIMIT_MS,
);

test(
  "this gateway keeps the rules about charges, quotas, faults, kills and shutdowns",
  async () => {
    const only = ["calls", "stream-quota", "spare", "one-caller", "kills", "streams-at-shutdown"];
    const findings = await findingsOf(SLUICE, only, GATEWAY);

    expect([...findings].filter(([, { holds }]) => !holds)).toEqual([]);
    expect([...findings.keys()].sort()).toEqual(only.sort());
    expect(findings.get("kills")?.figures).toMatchObject({ kills: 2, "money lost": "0.0 %" });
    expect(findings.get("spare")?.figures).toMatchObject({ faults: 14, answered: 14 });
  },
  LIMIT_MS,
);

test(
  "an experiment whose gateway does not answer as its adapter says is a rule that does not hold",
  async () => {
    const broken: Adapter = {
      ...TEMPLATE,
      async prepare(site) {
        const prepared = await TEMPLATE.prepare(site);
        const createKey = (): Promise<never> => Promise.reject(new Error("no keys today"));
        const open = async (url: string) => ({ ...(await prepared.open(url)), createKey });
        return { ...prepared, open };
      },
    };

    const findings = await findingsOf(broken, ["calls"]);

    expect(findings.get("calls")).toEqual({
      holds: false,
      figures: {},
      sentence: "It could not be finished: no keys today",
    });
  },
  LIMIT_MS,
);
