import { expect, test } from "bun:test";
import { findCounting } from "#catalog/families.ts";
import { findModel, listModels } from "#catalog/index.ts";
import { findFamily } from "#catalog/request-rules.ts";
import type { Channel } from "#core/channel.ts";
import { PROVIDERS } from "#providers/index.ts";
import { Channels } from "#relay/routing/channels.ts";
import { aChannel } from "#test/a-channel.ts";
import { findModelToTry } from "./model-to-try.ts";

function tried(...all: readonly Channel[]): string | undefined {
  const channels = new Channels({ findModel, listModels, findCounting, findFamily }, new Map());
  channels.replace(all);
  return findModelToTry(channels);
}

const listing = (provider: string, ...ids: readonly string[]): Channel =>
  aChannel({
    provider,
    models: { kind: "listed", upstreamNames: new Map(ids.map((id) => [id, id])) },
  });

test("the model for a first call is a cheap one of the vendor's own", () => {
  const asked = PROVIDERS.filter(({ id, keyVariable }) => keyVariable && listModels(id).length > 0);
  for (const { id, text } of asked) {
    const model = tried(aChannel({ provider: id }));
    const known = listModels(id).filter(({ kind }) => kind === "chat");
    if (text.length === 0) expect([id, model]).toEqual([id, undefined]);
    else expect(known.map((each) => each.id)).toContain(model ?? id);
  }
  expect(tried(aChannel({ provider: "anthropic" }))).toContain("haiku");
  expect(tried(aChannel({ provider: "openai" }))).toBe("gpt-6-luna");
});

test("a channel's own list is used in its order, without models of other kinds", () => {
  expect(tried(listing("openai", "gpt-image-1", "my-own", "gpt-4o"))).toBe("my-own");
  expect(
    tried(listing("openai", "gpt-image-1"), aChannel({ name: "two", provider: "gemini" })),
  ).toContain("gemini");
});

test("no model is suggested for video-only or unknown channels", () => {
  expect(tried(aChannel({ provider: "kling" }))).toBeUndefined();
  expect(tried(aChannel({ provider: "ollama" }))).toBeUndefined();
  expect(tried()).toBeUndefined();
});
