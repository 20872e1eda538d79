import { describe, expect, test } from "bun:test";
import { loadConfig } from "#config.ts";
import { ConfigError } from "#config/mistakes.ts";
import { findModel } from "#catalog/index.ts";
import { findProvider, PROVIDERS } from "#providers/index.ts";
import { requirementsOf } from "#providers/provider.ts";

function mistakesOf(channel: string): readonly string[] {
  try {
    loadConfig({
      env: { SLUICE_CONFIG: "sluice.yaml" },
      readFile: () => new TextEncoder().encode(`channels:\n  - { name: a, ${channel} }\n`),
      knownProviders: PROVIDERS.map(requirementsOf),
    });
  } catch (cause) {
    if (cause instanceof ConfigError) return cause.mistakes;
  }
  return [];
}

describe("a channel through a package", () => {
  test.each([
    'provider: ai-sdk, models: [m], options: { package: "@ai-sdk/cohere" }',
    'provider: ai-sdk, api_key: k, models: [m], options: { package: "@ai-sdk/openai", api: chat, project: p }',
    "provider: bedrock, api_key: k, models: [m], options: { region: us-gov-west-1 }",
    "provider: vertex, api_key: k, models: [m]",
    "provider: vertex, api_key: k, models: [m], options: { project: my-project, location: global }",
  ])("is valid: %s", (channel) => {
    expect(mistakesOf(channel)).toEqual([]);
  });

  test.each([
    ["provider: ai-sdk, models: [m]", '"options.package" is missing'],
    ["provider: ai-sdk, options: { package: '@ai-sdk/cohere' }", '"models" is missing; ai-sdk'],
    [
      "provider: ai-sdk, models: [m], options: { package: '@ai-sdk/none-of-that' }",
      "run: npm install @ai-sdk/none-of-that",
    ],
    ["provider: ai-sdk, models: [m], options: { package: ../x }", "is not the name of a package."],
    [
      "provider: ai-sdk, models: [m], options: { package: '@ai-sdk/cohere', apiKey: secret }",
      "options.apiKey: is no option; credentials go into `api_key`.",
    ],
    [
      "provider: ai-sdk, models: [m], options: { package: '@ai-sdk/cohere', baseURL: 'http://x' }",
      "it is the channel's `base_url`",
    ],
    ["provider: bedrock, api_key: k, models: [m]", '"options.region" is missing: the vendor'],
    [
      "provider: bedrock, api_key: k, models: [m], options: { region: 'x.evil.test/' }",
      "options.region: is not the name of a region.",
    ],
    ["provider: bedrock, models: [m], options: { region: eu-west-1 }", '"api_key" is missing'],
    [
      "provider: vertex, api_key: k, models: [m], options: { location: us-central1 }",
      '"options.project" is missing',
    ],
    [
      "provider: vertex, api_key: k, models: [m], options: { project: a/../b }",
      "options.project: is not the name of a project.",
    ],
    ["provider: vertex, api_key: k, options: { project: p }", '"models" is missing; vertex'],
    [
      "provider: openai, api_key: k, options: { region: x }",
      '"region" is not known here; openai has no options.',
    ],
  ])("that cannot work is refused with its position: %s", (channel, why) => {
    expect(mistakesOf(channel)).toEqual([expect.stringContaining(why)]);
  });

  test("shows no secret that is in the wrong field", () => {
    const channel =
      "provider: ai-sdk, models: [m], options: { package: '@ai-sdk/cohere', apiKey: very-secret }";

    expect(mistakesOf(channel).join()).not.toContain("very-secret");
  });
});

describe("a model with a price of its maker", () => {
  const names: [string, string, string | undefined][] = [
    ["bedrock", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"],
    ["bedrock", "anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5"],
    ["bedrock", "global.anthropic.claude-opus-4-7", "claude-opus-4-7"],
    ["bedrock", "amazon.nova-micro-v1:0", undefined],
    ["vertex", "claude-sonnet-4-5@20250929", "claude-sonnet-4-5"],
    ["vertex", "gemini-2.5-pro", "gemini-2.5-pro"],
    ["vertex", "google/gemini-2.5-pro", "gemini-2.5-pro"],
  ];
  test.each(names)("is found by its name at %s: %s", (provider, name, expected) => {
    const id = findProvider(provider)?.knownAs?.(name) ?? name;

    expect(findModel(provider, id)?.id).toBe(expected as string);
  });
});
