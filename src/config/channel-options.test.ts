import { describe, expect, test } from "bun:test";
import { loadConfig } from "#config.ts";
import { ConfigError } from "#config/mistakes.ts";
import type { KnownProvider } from "./documents/channel.ts";

const PROVIDERS: readonly KnownProvider[] = [
  { id: "plain", needsKey: false, options: {} },
  { id: "any", needsKey: false },
  {
    id: "regional",
    needsKey: false,
    needsModels: true,
    options: {
      required: { region: "where it is" },
      optional: { project: "what it is for" },
      optionProblems: ({ region }) =>
        region === "mars" ? { region: "is not the name of a region." } : {},
    },
  },
  { id: "open", needsKey: false, options: { required: { package: "its package" }, isOpen: true } },
];

function load(channel: string, env: Record<string, string> = {}) {
  return loadConfig({
    env: { SLUICE_CONFIG: "sluice.yaml", ...env },
    readFile: () =>
      new TextEncoder().encode(`channels:\n  - { name: a, models: [m], ${channel} }\n`),
    knownProviders: PROVIDERS,
  }).channels[0]?.options;
}

function mistakesOf(channel: string): readonly string[] {
  try {
    load(channel);
  } catch (cause) {
    if (cause instanceof ConfigError) return cause.mistakes;
  }
  return [];
}

describe("a channel's options", () => {
  test("are text by name, with variables expanded", () => {
    const options = load("provider: regional, options: { region: '$" + "{PLACE}', project: 12 }", {
      PLACE: "eu-central-1",
    });

    expect(options).toEqual({ region: "eu-central-1", project: "12" });
  });

  test("are empty without options", () => {
    expect(load("provider: plain")).toBeUndefined();
    expect(load("provider: any, options: { whatever: x }")).toEqual({ whatever: "x" });
    expect(load("provider: open, options: { package: p, resourceName: r }")).toEqual({
      package: "p",
      resourceName: "r",
    });
  });

  test.each([
    ["provider: regional", '2:5 channels[0]: "options.region" is missing: where it is.'],
    ["provider: regional, options: { project: p }", '"options.region" is missing: where it is.'],
    [
      "provider: regional, options: { region: mars }",
      "channels[0].options.region: is not the name",
    ],
    ["provider: regional, options: { region: r, regoin: x }", 'did you mean "region"?'],
    ["provider: regional, options: { region: }", "channels[0].options.region: has no value"],
    ["provider: regional, options: { region: [r] }", "is a list, not text"],
    ['provider: regional, options: { region: "a\\nb" }', "is not text of 1 to 1000"],
    ["provider: plain, options: { x: y }", '"x" is not known here; plain has no options.'],
    ["provider: plain, options: text", "channels[0].options: is not a map of options."],
    ["provider: open, options: { package: p, 'a b': y }", '"a b" is not known here'],
  ])("that are invalid are refused with their position: %s", (channel, why) => {
    expect(mistakesOf(channel)).toEqual([expect.stringContaining(why)]);
  });
});

test("a provider without a model list requires models", () => {
  const load = (): unknown =>
    loadConfig({
      env: { SLUICE_CONFIG: "sluice.yaml" },
      readFile: () =>
        new TextEncoder().encode(
          "channels:\n  - { name: a, provider: regional, options: { region: r } }\n",
        ),
      knownProviders: PROVIDERS,
    });

  expect(load).toThrow('"models" is missing; regional cannot list its models.');
});
