import { describe, expect, test } from "bun:test";
import { credential, type Channel } from "#core/channel.ts";
import { PROVIDERS } from "#providers/index.ts";
import { askForModels } from "./discover.ts";
import { aChannel } from "#test/a-channel.ts";

const NO_CALLER = {
  send: () => Promise.reject(new Error("Nobody was to be asked.")),
};

function channelOf(provider: string): Channel {
  const baseUrl = "https://upstream.test";
  return aChannel({ name: provider, provider, baseUrl, credentials: [credential("secret")] });
}

test("a vendor without a list has its known models, and is not called", async () => {
  const listed = PROVIDERS.filter((each) => each.models && each.modelsPath === undefined);

  expect(listed.length).toBeGreaterThan(0);
  for (const { id, models = [] } of listed) {
    const found = await askForModels(channelOf(id), NO_CALLER, AbortSignal.timeout(1_000));
    expect(found.map((each) => each.id)).toEqual([...models]);
  }
});

test("a provider's known model is listed once, and has an endpoint", () => {
  for (const { id, models = [], needsModels, videos = [] } of PROVIDERS) {
    expect([id, new Set(models).size]).toEqual([id, models.length]);
    expect(needsModels === true && models.length > 0).toBe(false);
    for (const model of models) {
      expect([model, videos.some((each) => each.serves?.(model) ?? true)]).toEqual([model, true]);
    }
  }
});

test("no two providers have the same prefix", () => {
  const names = PROVIDERS.flatMap(({ id, prefixes = [] }) => [id, ...prefixes]);

  expect(new Set(names).size).toBe(names.length);
});

describe("a successful response", () => {
  const answering = (text: string) => ({
    send: async () => ({
      status: 200,
      headers: new Map<string, string>(),
      pump: async () => {},
      readAll: async () => Buffer.from(text),
      readFailure: async () => text,
      close() {},
      [Symbol.dispose]() {},
    }),
  });
  const ask = (text: string, provider = "openai") =>
    askForModels(channelOf(provider), answering(text), AbortSignal.timeout(1_000));

  test.each([
    "<!doctype html><title>Welcome</title>",
    "",
    "null",
    '"ok"',
    '{"error":{"message":"no"}}',
    '{"status":"ok"}',
  ])("that is no list is a failure: %s", (text) => {
    expect(ask(text)).rejects.toThrow("not a list of models");
  });

  test("may be an empty list", async () => {
    expect(await ask('{"object":"list","data":[]}')).toEqual([]);
    expect(await ask('{"data":[{"id":"m"},{"name":"other"}]}')).toEqual([{ id: "m" }]);
    expect(await ask('{"object":"list","data":null}', "ollama")).toEqual([]);
    expect(await ask("[]", "together")).toEqual([]);
  });
});
