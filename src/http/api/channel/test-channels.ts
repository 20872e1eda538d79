import { z } from "zod";
import type { JsonObject } from "#lib/json.ts";
import { mapAtMost } from "#lib/map-at-most.ts";
import { canListModels, probe } from "#relay/probe.ts";
import type { ListedChannel } from "#relay/routing/channel-registry.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { management } from "../management.ts";
import { channelsWith } from "./find-channel.ts";
import { PROBES, showProbe } from "./test-channel.ts";

const REQUEST = z.strictObject({
  tag: optional(
    z
      .string()
      .min(1)
      .max(1_000)
      .describe("Only channels with this label; of several, separated by commas, with all."),
  ),
  only: optional(
    z
      .enum(["passed", "failed", "not_tested"])
      .describe("Only these results in `items`; the numbers are those of all."),
  ),
});

const REPORT = z.object({
  tested: z.int(),
  failed: z.int().describe("Tested channels with a credential that failed."),
  items: z.array(
    z.object({ id: z.int().nullable(), name: z.string(), provider: z.string(), ...PROBES }),
  ),
});

/** Each test takes at most 30 seconds. */
const AT_ONCE = 8;

type Deps = Pick<RoutingDeps, "channelRegistry" | "channels" | "relay">;

export const testChannels = management({
  operationId: "testChannels",
  tag: "Channels",
  method: "POST",
  path: "/api/channel/test",
  access: "admin",
  scope: "channels:write",
  summary:
    "Tests all channels, also disabled ones, with a request of each credential for the model " +
    "list, and reports all results. Channels without a model list are not tested.",
  body: REQUEST,
  data: REPORT,

  async handle(exchange, deps: Deps, { body: { tag, only } }) {
    const listed = channelsWith(tag, deps.channelRegistry);
    using _pause = exchange.suspendIdleTimeout();
    const results = await mapAtMost(listed, AT_ONCE, (each) => test(each, deps, exchange.signal));
    const tested = results.filter(({ trouble }) => trouble === null);
    return succeed(exchange.id, "The channels were tested.", {
      tested: tested.length,
      failed: tested.filter(({ ok }) => ok === false).length,
      items: only === undefined ? results : results.filter((each) => resultOf(each) === only),
    });
  },
});

function resultOf({ ok, trouble }: JsonObject): "passed" | "failed" | "not_tested" {
  if (trouble !== null) return "not_tested";
  return ok === true ? "passed" : "failed";
}

async function test(
  { channel, stored, issue }: ListedChannel,
  { channels, relay }: Pick<Deps, "channels" | "relay">,
  signal: AbortSignal,
): Promise<JsonObject> {
  const shown = { id: stored?.id ?? null, name: channel.name, provider: channel.provider };
  const trouble = issue ?? (canListModels(channel) ? undefined : NO_LIST);
  if (trouble !== undefined) return { ...shown, ok: false, trouble, probes: [] };
  const probes = await probe(channel, undefined, channels, relay, signal);
  const ok = probes.every(({ fault }) => fault === undefined);
  return { ...shown, ok, trouble: null, probes: probes.map(showProbe) };
}

/** Such a channel is tested by a call to one of its models, which costs something. */
const NO_LIST = "no_model_list";
