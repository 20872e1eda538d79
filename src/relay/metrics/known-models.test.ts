import { expect, test } from "bun:test";
import { aRecord } from "#test/a-record.ts";
import { KnownModels } from "./known-models.ts";

const REFUSED = { channel: null, attempts: [], fault: "rate_limited" } as const;

test("a name is known once a channel was asked for it, and stays known", () => {
  const attempt = {
    channel: "one",
    credential: "",
    fault: "upstream_failed",
    status: 500,
  } as const;
  const asked = { ...REFUSED, attempts: [{ ...attempt, durationMs: 1 }] };
  const nameAfter = (first: object) => {
    const models = new KnownModels();
    return [models.nameOf(aRecord(first)), models.nameOf(aRecord(REFUSED))];
  };

  expect(nameAfter({})).toEqual(["m", "m"]);
  expect(nameAfter({ attempts: [] })).toEqual(["m", "m"]);
  expect(nameAfter(asked)).toEqual(["m", "m"]);
  expect(nameAfter({ ...REFUSED, fault: "out_of_quota" })).toEqual(["m", "m"]);
  expect(nameAfter(REFUSED)).toEqual([undefined, undefined]);
});

test("two thousand names are remembered", () => {
  const models = new KnownModels();
  for (let at = 0; at < 2_001; at++) models.nameOf(aRecord({ model: `m${at}` }));

  expect(models.nameOf(aRecord({ ...REFUSED, model: "m1999" }))).toBe("m1999");
  expect(models.nameOf(aRecord({ ...REFUSED, model: "m2000" }))).toBeUndefined();
  expect(models.nameOf(aRecord({ model: "m2000" }))).toBe("m2000");
});
