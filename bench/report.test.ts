import { expect, test } from "bun:test";

import type { Sample } from "./measure.ts";
import { buildReport } from "./report.ts";
import type { Series } from "./rounds.ts";
import { scenarios } from "./scenarios.ts";
import type { TargetId } from "./targets/target.ts";

test("a ratio is taken round by round, judged by its median and shown with its spread", () => {
  const { text } = buildReport(
    [series("nginx", [10, 20, 30]), series("sluice", [30, 40, 150])],
    [],
  );

  expect(line(text, "unary CPU, Sluice / nginx")).toBe("3x (2-5) <= 4x pass");
});

test("a target that is missed is reported and is no failure", () => {
  const { text, isBroken } = buildReport([series("nginx", [10]), series("sluice", [50])], []);

  expect(line(text, "unary CPU, Sluice / nginx")).toBe("5x <= 4x miss");
  expect(isBroken).toBeFalse();
});

test("a figure without its yardstick is left out rather than judged", () => {
  const { text } = buildReport([series("sluice", [50])], ["nginx is missing"]);

  expect(text).not.toContain("Sluice / nginx");
  expect(text).toContain("! nginx is missing");
});

test("failed requests of Sluice break the bench, those of a peer are only shown", () => {
  const failing = { failed: 2, failures: { "status 500: oops": 2 } };

  const own = buildReport([series("sluice", [50], failing)], []);
  const peer = buildReport([series("portkey", [50], failing), series("sluice", [50])], []);

  expect(own.isBroken).toBeTrue();
  expect(own.text).toContain("! sluice, unary round 1: 2x status 500: oops");
  expect(peer.isBroken).toBeFalse();
  expect(peer.text).toContain("! portkey, unary round 1: 2x status 500: oops");
});

function series(id: TargetId, cpuMicros: readonly number[], more: Partial<Sample> = {}): Series {
  const [scenario] = scenarios(true);
  if (scenario === undefined) throw new Error("There is no scenario.");
  const samples = cpuMicros.map((cpuMicrosPerRequest) => ({
    ...SAMPLE,
    cpuMicrosPerRequest,
    ...more,
  }));
  return { scenario, target: { id, title: id }, samples };
}

/** The cells of a line after its first, one space apart. */
function line(text: string, start: string): string | undefined {
  const found = text.split("\n").find((each) => each.startsWith(start));
  return found?.slice(start.length).trim().replace(/ +/g, " ");
}

const SAMPLE: Sample = {
  completed: 1000,
  failed: 0,
  failures: {},
  elapsedMs: 1000,
  firstByteMs: { p50: 1, p99: 2 },
  totalMs: { p50: 1, p99: 2 },
  openAtOnce: 32,
  requestsPerSecond: 1000,
  cpuMicrosPerRequest: 10,
  loadCpuMicrosPerRequest: 5,
  upstreamCpuMicrosPerRequest: 5,
  rssPeakBytes: 50e6,
  rssAfterBytes: 50e6,
};
