import { describe, expect, test } from "bun:test";
import { credential, type Channel } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { UpstreamReply, UpstreamRequest } from "#egress/egress.ts";
import { findProvider, PROVIDERS } from "#providers/index.ts";
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

/** An upstream with this answer, which notes what it is asked and whether its connection is closed. */
function answeringWith(text: string, status = 200) {
  const sent: UpstreamRequest[] = [];
  const state = { closed: 0 };
  const send = async (request: UpstreamRequest): Promise<UpstreamReply> => {
    sent.push(request);
    return {
      status,
      headers: new Map<string, string>(),
      pump: async () => {},
      readAll: async () => Buffer.from(text),
      readFailure: async () => text,
      close: () => void state.closed++,
      [Symbol.dispose]() {},
    };
  };
  return { sent, state, send };
}

describe("the list of a vendor", () => {
  test("is asked for with the vendor's own headers and path, and its connection is closed", async () => {
    const upstream = answeringWith('{"data":[]}');

    await askForModels(channelOf("anthropic"), upstream, AbortSignal.timeout(1_000));

    const [request] = upstream.sent;
    expect(request?.url.href).toStartWith("https://upstream.test/");
    expect(request).toMatchObject({ method: "GET", isStream: false });
    expect(request?.headers).toBe(findProvider("anthropic")?.headers);
    expect(request?.headers).toBeDefined();
    expect(upstream.state.closed).toBe(1);
  });

  test("is asked for without headers, if the vendor needs none", async () => {
    const upstream = answeringWith('{"data":[]}');

    await askForModels(channelOf("openai"), upstream, AbortSignal.timeout(1_000));

    expect(upstream.sent[0]).not.toHaveProperty("headers");
  });

  test("is read in the vendor's own form", async () => {
    const upstream = answeringWith('{"models":[{"name":"models/gemini-9"}]}');

    const found = await askForModels(channelOf("gemini"), upstream, AbortSignal.timeout(1_000));

    expect(found.map(({ id }) => id)).toEqual(["gemini-9"]);
  });

  test("that is refused is a failure with the vendor's status, and its connection is closed", async () => {
    const upstream = answeringWith('{"data":[]}', 401);

    const asked = askForModels(channelOf("openai"), upstream, AbortSignal.timeout(1_000));

    const failure = GatewayError.from(await asked.catch((cause: unknown) => cause));
    expect([failure.code, failure.vendor?.status]).toEqual(["upstream_denied", 401]);
    expect(upstream.state.closed).toBe(1);
  });
});

describe("a successful response", () => {
  const ask = (text: string, provider = "openai") =>
    askForModels(channelOf(provider), answeringWith(text), AbortSignal.timeout(1_000));

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
