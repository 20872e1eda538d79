import { expect, test } from "bun:test";

import { buildReport } from "./report.ts";
import type { Series } from "./rounds.ts";
import type { Scenario } from "./scenario.ts";

test("a ratio to nginx is measured in each round, and shown with its range and its bound", () => {
  const { text } = buildReport(
    [series("nginx", [10, 20, 30]), series("sluice", [30, 40, 150])],
    [],
  );

  expect(line(text, "  CPU")).toBe("20 (10-30) 40 (30-150)");
  expect(line(text, "    times nginx")).toBe("3 (2-5) <= 4");
});

test("a missed bound is not an error", () => {
  const { isBroken } = buildReport([series("nginx", [10]), series("sluice", [50])], []);

  expect(isBroken).toBeFalse();
});

test("a ratio without nginx is left empty", () => {
  const { text } = buildReport([series("sluice", [50])], ["nginx is missing"]);

  expect(line(text, "    times nginx")).toBe("<= 4");
  expect(text).toContain("! nginx is missing");
});

test("failed requests of Sluice fail the benchmark, those of a peer are only shown", () => {
  const failures = { "status 500: oops": 2 };

  const own = buildReport([series("sluice", [50], failures)], []);
  const peer = buildReport([series("portkey", [50], failures), series("sluice", [50])], []);

  expect(own.isBroken).toBeTrue();
  expect(own.text).toContain("! sluice, whole round 1: 2x status 500: oops");
  expect(peer.isBroken).toBeFalse();
  expect(peer.text).toContain("! portkey, whole round 1: 2x status 500: oops");
});

const SCENARIO: Scenario = {
  id: "whole",
  title: "whole answers",
  rounds: 3,
  variant: {},
  figures: [{ id: "cpu", title: "CPU", beside: "ratio", atMost: 4 }],
  includes: () => true,
  measure: async () => ({ figures: {}, failures: {} }),
};

function series(
  id: string,
  values: readonly number[],
  failures: Readonly<Record<string, number>> = {},
): Series {
  const samples = values.map((cpu) => ({ figures: { cpu }, failures }));
  return { scenario: SCENARIO, target: { id, title: id }, samples };
}

/** The cells of a line after its first, one space apart. */
function line(text: string, start: string): string | undefined {
  const found = text.split("\n").find((each) => each.startsWith(start));
  return found?.slice(start.length).trim().replace(/ +/g, " ");
}
