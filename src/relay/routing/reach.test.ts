import { describe, expect, test } from "bun:test";
import type { Group } from "#core/group.ts";
import type { ApiKey } from "#core/key.ts";
import { findProvider } from "#providers/index.ts";
import { aCall } from "#test/a-call.ts";
import { aChannel } from "#test/a-channel.ts";
import { withinReach } from "./reach.ts";
import type { Candidate } from "./route.ts";

function candidateOn(name: string, more: Partial<Candidate> = {}): Candidate {
  const provider = findProvider("openai");
  if (provider === undefined) throw new Error("A provider was expected.");
  const channel = aChannel({ name });
  return {
    channel,
    provider,
    upstreamModel: "m",
    price: undefined,
    traits: {},
    suffixes: [],
    ...more,
  };
}

function keyFor(models: readonly string[], channels?: readonly string[]): ApiKey {
  const { key } = aCall();
  const group: Group = {
    id: 1,
    name: "g",
    priceFactor: 1_000,
    prices: new Map(),
    createdAt: 0,
    ...(channels === undefined ? {} : { channels }),
  };
  return { ...key, models, group };
}

const ONE = candidateOn("one");
const TWO = candidateOn("two");

describe("of the channels of a model, a key reaches", () => {
  test("all, if nothing restricts it", () => {
    const candidates = [ONE, TWO];

    expect(withinReach(keyFor(["*"]), "m", candidates)).toBe(candidates);
    expect(withinReach(aCall().key, "m", candidates)).toBe(candidates);
    expect(withinReach(keyFor(["m"], ["one", "two"]), "m", candidates)).toBe(candidates);
  });

  test("those of its group", () => {
    expect(withinReach(keyFor(["*"], ["two"]), "m", [ONE, TWO])).toEqual([TWO]);
    expect(withinReach(keyFor(["*"], ["one"]), "m", [ONE, TWO])).toEqual([ONE]);
  });

  test("none, if the model or every channel is outside its permissions", () => {
    expect(withinReach(keyFor(["other"]), "m", [ONE])).toBeUndefined();
    expect(withinReach(keyFor(["*"], ["three"]), "m", [ONE, TWO])).toBeUndefined();
  });

  test("none of an unknown model", () => {
    expect(withinReach(keyFor(["*"]), "m", undefined)).toBeUndefined();
    expect(withinReach(keyFor(["*"]), "m", [])).toBeUndefined();
  });
});

describe("a key may use a model", () => {
  test("by its name without the client's vendor prefix", () => {
    const candidates = [candidateOn("one", { entry: "gpt-9" })];

    expect(withinReach(keyFor(["gpt-*"]), "openai/gpt-9", candidates)).toBe(candidates);
    expect(withinReach(keyFor(["openai/*"]), "openai/gpt-9", candidates)).toBeUndefined();
  });

  test("by an alias, if it may use the model itself", () => {
    const candidates = [candidateOn("one", { aliasOf: "claude-9-20260101" })];
    const key = keyFor(["claude-9-20260101"]);

    expect(withinReach(key, "claude-9", candidates)).toBe(candidates);
    expect(withinReach(key, "claude-9", [ONE])).toBeUndefined();
    expect(withinReach(keyFor(["other"]), "claude-9", candidates)).toBeUndefined();
  });

  test("by an alias with a suffix, if it may use the model with this suffix", () => {
    const aliasOf = "claude-9-20260101";
    const candidates = [candidateOn("one", { aliasOf, base: "claude-9" })];

    expect(withinReach(keyFor([`${aliasOf}-high`]), "claude-9-high", candidates)).toBe(candidates);
    expect(withinReach(keyFor([aliasOf]), "claude-9-high", candidates)).toBeUndefined();
  });
});
