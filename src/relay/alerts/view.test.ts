import { expect, test } from "bun:test";
import type { GatewayFacts } from "#core/alert.ts";
import type { ChannelSum } from "#core/channel-minute.ts";
import type { ChannelState } from "#core/channel-state.ts";
import { aChannel } from "#test/a-channel.ts";
import type { ListedChannel } from "../routing/channel-registry.ts";
import { EMPTY_SUM, serves, viewOf } from "./view.ts";

const NOW = 600_000;

function listed(name: string, more: object = {}): ListedChannel {
  return { source: "file", channel: aChannel({ name }), ...more };
}

/** A view of these channels and models, which notes the spans that are read. */
function stage(
  channels: readonly ListedChannel[],
  models: Readonly<Record<string, unknown>> = {},
  facts: readonly GatewayFacts[] = [],
) {
  const reads: number[] = [];
  const minutes = {
    async sums(from: number): Promise<ReadonlyMap<string, ChannelSum>> {
      reads.push(from);
      return new Map([["one", EMPTY_SUM]]);
    },
  };
  const table = { models: new Map(Object.entries(models)) as never };
  return { reads, view: viewOf({ minutes, channels: () => channels, table }, facts, NOW) };
}

test("a channel that its owner disabled is not watched", () => {
  const { view } = stage([
    listed("file"),
    listed("on", { stored: { isEnabled: true } }),
    listed("off", { stored: { isEnabled: false } }),
  ]);

  expect([...view.channels.keys()]).toEqual(["file", "on"]);
});

test("a channel serves unless it is unknown, wrongly configured, or disabled by the gateway", () => {
  const disabled = {} as ChannelState;
  const { view } = stage([
    listed("well"),
    listed("wrong", { issue: "credential_missing" }),
    listed("ill", { disabled }),
  ]);

  expect(["well", "wrong", "ill", "unknown"].map((name) => serves(view, name))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test("the sums of a span are read once", async () => {
  const { reads, view } = stage([]);

  const sums = [await view.sums(5), await view.sums(5), await view.sums(1)];

  expect(sums[1]).toBe(sums[0] ?? new Map());
  expect(reads).toEqual([NOW - 5 * 60_000, NOW - 60_000]);
});

test("a model has each of its channels once, and a price if one of them has", () => {
  const candidate = (name: string, price?: object) => ({ channel: { name }, price });
  const { view } = stage([], {
    free: [candidate("one")],
    priced: [candidate("one"), candidate("two", {}), candidate("one")],
  });

  expect(view.models()).toEqual(
    new Map([
      ["free", ["one"]],
      ["priced", ["one", "two"]],
    ]),
  );
  expect(["free", "priced", "unknown"].map(view.isPriced)).toEqual([false, true, false]);
});

test("the troubles of a channel are those of all gateways, and its condition has their words", () => {
  const failure = {
    since: 1,
    code: "upstream_auth",
    credential: "...1",
    status: 401,
    reason: "Wrong key",
  } as const;
  const rest = { lastFailure: undefined, cooldownUntil: undefined, openUntil: undefined };
  const factsWith = (troubles: GatewayFacts["troubles"]) => ({ troubles }) as GatewayFacts;
  const { view } = stage([listed("ill"), listed("well")], {}, [
    factsWith({}),
    factsWith({ ill: { ...rest, refusals: [failure] } }),
    factsWith({ ill: { ...rest, refusals: [{ ...failure, credential: "...2" }] } }),
  ]);

  expect(view.troublesOf("ill").refusals.map(({ credential }) => credential)).toEqual([
    "...1",
    "...2",
  ]);
  expect(view.troublesOf("well").refusals).toEqual([]);
  expect(view.conditionOf("ill", EMPTY_SUM).state).toBe("refused");
  expect(view.conditionOf("well", EMPTY_SUM).state).toBe("healthy");
});
