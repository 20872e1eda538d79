import { describe, expect, test } from "bun:test";
import { findModel, listModels } from "#catalog/index.ts";
import { isPattern, patternProblem, starOf, withStar } from "#core/model-pattern.ts";
import type { Catalog } from "#core/model.ts";
import { aChannel } from "#test/a-channel.ts";
import { Channels } from "./channels.ts";

const CATALOG: Catalog = {
  findModel,
  listModels,
  findCounting: () => undefined,
  findFamily: () => undefined,
};

/** `a*->b*` maps a name; names without an arrow are the upstream's own. */
function channel(name: string, models: readonly string[], more: object = {}) {
  const upstreamNames = new Map(
    models.map((each) => {
      const [from = "", to = from] = each.split("->");
      return [from, to] as const;
    }),
  );
  return aChannel({
    name,
    provider: "openai-compatible",
    baseUrl: `http://${name}.example/v1`,
    models: { kind: "listed", upstreamNames },
    ...more,
  });
}

function openWith(...all: ReturnType<typeof channel>[]): Channels {
  const channels = new Channels(CATALOG, new Map());
  channels.replace(all);
  return channels;
}

const found = (channels: Channels, model: string) =>
  channels
    .find(model)
    ?.map(({ channel: { name }, upstreamModel, pattern = "" }) => [name, upstreamModel, pattern]);

describe("a pattern of models", () => {
  test("stands for names of its form, and keeps or replaces the text of its star", () => {
    const channels = openWith(channel("a", ["openai/*->*", "x-*->vendor/*", "tiny*->one"]));

    expect(found(channels, "openai/gpt-9")).toEqual([["a", "gpt-9", "openai/*"]]);
    expect(found(channels, "x-large")).toEqual([["a", "vendor/large", "x-*"]]);
    expect(found(channels, "tiny-2")).toEqual([["a", "one", "tiny*"]]);
    expect(found(channels, "openai/")).toBeUndefined();
    expect(found(channels, "other")).toBeUndefined();
  });

  test("comes after exact names, and the longest pattern first", () => {
    const channels = openWith(
      channel("any", ["*"]),
      channel("short", ["gpt-*"]),
      channel("long", ["gpt-9-*"]),
      channel("exact", ["gpt-9-mini"]),
      channel("too", ["gpt-9-*->mine/*"]),
    );

    expect(found(channels, "gpt-9-mini")).toEqual([["exact", "gpt-9-mini", ""]]);
    expect(found(channels, "gpt-9-max")).toEqual([
      ["long", "gpt-9-max", "gpt-9-*"],
      ["too", "mine/max", "gpt-9-*"],
    ]);
    expect(found(channels, "gpt-8")).toEqual([["short", "gpt-8", "gpt-*"]]);
    expect(found(channels, "claude")).toEqual([["any", "claude", "*"]]);
  });

  test("comes before a vendor's prefix, unless it stands for all names", () => {
    const own = channel("own", ["gpt-9"], { provider: "openai" });
    const any = openWith(own, channel("any", ["*"]));
    const specific = openWith(own, channel("specific", ["openai/*"]));

    expect(found(any, "openai/gpt-9")).toEqual([["own", "gpt-9", ""]]);
    expect(found(any, "openai/gpt-9")).toEqual([["own", "gpt-9", ""]]);
    expect(found(any, "other/gpt-9")).toEqual([["any", "other/gpt-9", "*"]]);
    expect(found(specific, "openai/gpt-9")).toEqual([["specific", "openai/gpt-9", "openai/*"]]);
  });

  test("is also served behind the prefix of its channel, with the rights of the plain name", () => {
    const channels = openWith(channel("a", ["m-*->v-*"], { modelPrefix: "eu" }));

    const [candidate] = channels.find("eu/m-1") ?? [];

    expect(candidate).toMatchObject({ upstreamModel: "v-1", pattern: "m-*", aliasOf: "m-1" });
  });

  test("lists the models of its vendor, as far as their list is known", () => {
    const served = channel("a", ["mine/*->v/*", "mine/exact->other"]);
    const channels = openWith(served, channel("b", ["mine/long-*->*"]));
    channels.discovered(served, [{ id: "v/one" }, { id: "v/long-two" }, { id: "w/three" }]);
    const key = { id: 1, userId: 1, name: "k", status: 1, models: ["*"], accounts: [] } as const;

    const names = channels.list(key).map(({ id }) => id);

    expect(names.filter((name) => name.startsWith("mine/"))).toEqual(["mine/exact", "mine/one"]);
    expect(names).not.toContain("v/one");
    expect(found(channels, "mine/one")).toEqual([["a", "v/one", "mine/*"]]);
    expect(found(channels, "mine/long-two")).toEqual([["b", "two", "mine/long-*"]]);
    expect(channels.describe(key, "mine/unlisted")?.id).toBe("mine/unlisted");
  });

  test("is used for tests of its channel", () => {
    const tested = channel("a", ["mine/*->v/*"]);

    const candidate = openWith(tested).candidateOn(tested, "mine/one");

    expect(candidate).toMatchObject({ upstreamModel: "v/one", pattern: "mine/*" });
  });

  test("has the price of the model that it leads to", () => {
    const channels = openWith(channel("a", ["openai/*->*"], { provider: "openai" }));

    expect(channels.find("openai/gpt-4o-mini")?.[0]?.price?.input).toBeGreaterThan(0);
  });

  test("looks a thousand names up, and forgets them", () => {
    const channels = openWith(channel("a", ["*"]));
    const first = channels.find("name-0");
    for (let at = 0; at < 2_000; at++) channels.find(`name-${at}`);

    expect(channels.find("name-1999")).toBe(channels.find("name-1999"));
    expect(channels.find("name-0")).not.toBe(first);
  });
});

test.each([
  ["a*b*", "a*", "more than one"],
  ["a*", "**", "more than one"],
  ["a", "b*", "has no *"],
])("the mapping of %s to %s is a mistake", (name, upstream, words) => {
  expect(patternProblem(name, upstream)).toContain(words);
});

test.each(["a*", "*", "*b", "a*b", "openai/*"])("a name made of %s is of its form", (pattern) => {
  for (const star of ["x", "a", "b", "ab", "/", "x/y"]) {
    expect(starOf(pattern, withStar(pattern, star))).toBe(star);
  }
  expect(isPattern(pattern)).toBe(true);
  expect(patternProblem(pattern, "*")).toBeUndefined();
});
