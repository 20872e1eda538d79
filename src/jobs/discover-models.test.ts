import { expect, test } from "bun:test";
import { credential } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { UpstreamReply, UpstreamRequest } from "#egress/egress.ts";
import { Health } from "#relay/failover/health.ts";
import { Channels } from "#relay/routing/channels.ts";
import { waitFor } from "#test/wait.ts";
import { discoverModels } from "./discover-models.ts";
import { aChannel } from "#test/a-channel.ts";

const CHANNEL = aChannel({ name: "main", credentials: [credential("a-credential-of-it")] });

function reply(ids: readonly string[]): UpstreamReply {
  const body = JSON.stringify({ data: ids.map((id) => ({ id })) });
  return {
    status: 200,
    headers: new Map(),
    pump: async () => {},
    readAll: async () => Buffer.from(body),
    readFailure: async () => body,
    close: () => {},
    [Symbol.dispose]: () => {},
  } as UpstreamReply;
}

function setup(answer: (request: UpstreamRequest) => UpstreamReply | Promise<UpstreamReply>) {
  let now = 0;
  const asked: string[] = [];
  const troubles: string[] = [];
  const catalog = {
    findModel: () => undefined,
    listModels: () => [],
    findCounting: () => undefined,
    findFamily: () => undefined,
  };
  const channels = new Channels(catalog, new Map());
  const send = async (request: UpstreamRequest): Promise<UpstreamReply> => {
    asked.push(request.url.host);
    return await answer(request);
  };
  const clock = { now: () => now, monotonic: () => now };
  const job = discoverModels(channels, { send }, new Health(clock), clock, ({ name }) =>
    troubles.push(name),
  );
  return {
    channels,
    asked,
    troubles,
    pass: (ms: number) => void (now += ms),
    run: () => job.run(new AbortController().signal),
  };
}

/** What a list named, and not the provider. */
const found = (channels: Channels): readonly string[] =>
  [...channels.models.keys()].filter((name) => name.startsWith("of-"));

test("a channel's models are requested once, and again after ten minutes", async () => {
  const { channels, asked, run, pass } = setup(() => reply(["found"]));
  channels.replace([CHANNEL]);

  await run();
  await run();
  expect(asked).toHaveLength(1);
  expect(channels.find("found")).toBeDefined();

  pass(600_000);
  await run();
  expect(asked).toHaveLength(2);
});

test("a channel with a new address is requested at once", async () => {
  const { channels, asked, run } = setup(({ url }) => reply([`of-${url.hostname}`]));
  channels.replace([CHANNEL]);
  await run();

  channels.replace([{ ...CHANNEL, baseUrl: "https://elsewhere.example/v1" }]);
  await run();

  expect(asked).toEqual(["vendor.example", "elsewhere.example"]);
  expect(found(channels)).toEqual(["of-elsewhere.example"]);
});

test("the known models stay if an upstream does not answer, and other channels do not wait", async () => {
  let isDown = false;
  const { channels, troubles, run, pass } = setup(({ url }) => {
    if (isDown && url.host === "vendor.example") throw new GatewayError("upstream_failed", "No.");
    return reply([`of-${url.host}`]);
  });
  const other = { ...CHANNEL, name: "other", baseUrl: "https://other.example/v1" };
  channels.replace([CHANNEL]);
  await run();

  isDown = true;
  pass(600_000);
  channels.replace([CHANNEL, other]);
  await run();

  expect(troubles).toEqual(["main"]);
  expect(found(channels)).toEqual(["of-vendor.example", "of-other.example"]);
});

test("an upstream without models is requested again after half a minute", async () => {
  let isThere = false;
  const { channels, asked, run, pass } = setup(() => {
    if (isThere) return reply(["pulled"]);
    throw new GatewayError("upstream_unreachable", "Nobody is there.");
  });
  channels.replace([CHANNEL]);
  await run();
  isThere = true;

  pass(29_000);
  await run();
  expect(asked).toHaveLength(1);
  pass(1_000);
  await run();

  expect(channels.find("pulled")).toBeDefined();
});

test("an upstream that never lists models is requested less and less often", async () => {
  const { channels, troubles, run, pass } = setup(() => {
    throw new GatewayError("upstream_failed", "There is no list.");
  });
  channels.replace([CHANNEL]);

  for (let minutes = 0; minutes < 60; minutes++) {
    await run();
    pass(60_000);
  }

  expect(troubles.length).toBeLessThan(12);
});

test("a new channel is requested at once, even while another upstream does not answer", async () => {
  const silent = Promise.withResolvers<UpstreamReply>();
  const { channels, asked, run } = setup(({ url }) =>
    url.host === "vendor.example" ? silent.promise : reply(["new"]),
  );
  channels.replace([CHANNEL]);
  const running = run();
  await waitFor(() => asked.length === 1);

  channels.replace([CHANNEL, { ...CHANNEL, name: "new", baseUrl: "https://new.example/v1" }]);
  await waitFor(() => channels.find("new") !== undefined, 5_000).finally(() => {
    silent.resolve(reply([]));
  });
  await running;

  expect(asked).toEqual(["vendor.example", "new.example"]);
});
