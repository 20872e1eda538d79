import { describe, expect, test } from "bun:test";
import type { Channel } from "#core/channel.ts";
import { aChannel } from "#test/a-channel.ts";
import { nameFor, PatternTable, type PatternMatch } from "./pattern-table.ts";

function channelWith(
  name: string,
  models: Readonly<Record<string, string>>,
  modelPrefix?: string,
): Channel {
  return aChannel({
    name,
    models: { kind: "listed", upstreamNames: new Map(Object.entries(models)) },
    ...(modelPrefix === undefined ? {} : { modelPrefix }),
  });
}

function shown(matches: readonly PatternMatch[]): string[] {
  return matches.map(({ pattern, upstreamModel }) => `${pattern.channel.name} ${upstreamModel}`);
}

describe("a table of patterns", () => {
  test("has only names with a star", () => {
    const table = new PatternTable([channelWith("a", { "gpt-*": "gpt-*", "gpt-9": "gpt-9" })]);

    expect(table.isEmpty).toBe(false);
    expect(table.all.map(({ text }) => text)).toEqual(["gpt-*"]);
  });

  test("is empty for channels that list names, or ask their vendor", () => {
    expect(new PatternTable([channelWith("a", { m: "m" }), aChannel()]).isEmpty).toBe(true);
  });

  test("has the patterns of a channel with a prefix twice", () => {
    const table = new PatternTable([channelWith("a", { "gpt-*": "x-*" }, "mine")]);

    expect(table.all.map(({ full }) => full)).toEqual(["mine/gpt-*", "gpt-*"]);
    expect(table.match("mine/gpt-9")).toMatchObject([{ upstreamModel: "x-9", plainName: "gpt-9" }]);
    expect(table.match("gpt-9")[0]?.plainName).toBeUndefined();
  });
});

describe("a name is matched", () => {
  const table = new PatternTable([
    channelWith("any", { "*": "*" }),
    channelWith("short", { "gpt-*": "s-*" }),
    channelWith("long", { "gpt-9-*": "l-*" }),
    channelWith("same", { "gpt-*-9": "one" }),
  ]);

  test("by all patterns of the longest length", () => {
    expect(shown(table.match("gpt-9-9"))).toEqual(["long l-9", "same one"]);
    expect(shown(table.match("gpt-9-x"))).toEqual(["long l-x"]);
    expect(shown(table.match("gpt-8"))).toEqual(["short s-8"]);
    expect(shown(table.match("other"))).toEqual(["any other"]);
  });

  test("by the pattern for all names, or by the others alone", () => {
    expect(shown(table.match("gpt-8", "any"))).toEqual(["any gpt-8"]);
    expect(shown(table.match("gpt-8", "specific"))).toEqual(["short s-8"]);
    expect(table.match("other", "specific")).toEqual([]);
  });

  test("with the length of its longest pattern", () => {
    expect(["gpt-9-x", "gpt-8", "other"].map((name) => table.lengthFor(name))).toEqual([7, 5, 1]);
    expect(new PatternTable([]).lengthFor("other")).toBe(0);
  });
});

test("a model of the vendor has the client's name by the pattern that leads to it", () => {
  const [pattern] = new PatternTable([channelWith("a", { "gpt-*": "vendor/*" })]).all;
  const [fixed] = new PatternTable([channelWith("a", { "gpt-*": "one" })]).all;
  if (pattern === undefined || fixed === undefined) throw new Error("A pattern was expected.");

  expect(nameFor(pattern, "vendor/9")).toBe("gpt-9");
  expect(nameFor(pattern, "other/9")).toBeUndefined();
  expect(nameFor(fixed, "one")).toBeUndefined();
});
