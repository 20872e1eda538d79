import { z } from "zod";
import type { AuditLog } from "#core/audit.ts";
import { firstByteAt, type ChannelSum } from "#core/channel-minute.ts";
import { objectOf } from "#lib/values.ts";
import type { JsonObject } from "#lib/json.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import { conditionOf, CONDITIONS } from "#relay/failover/channel-condition.ts";
import type { ListedChannel } from "#relay/routing/channel-registry.ts";
import { seconds } from "../seconds.ts";
import { showUsd } from "../usd.ts";
import { BALANCE, showBalance } from "./channel-balance.ts";
import { CHANNEL, showChannel } from "./channel-json.ts";

const SUM = z.object({
  attempts: z.int(),
  failed: z.int(),
  success_rate: z.number().nullable().describe("From 0 to 1; null without attempts."),
  first_byte_p50_ms: z.int().nullable(),
  first_byte_p95_ms: z.int().nullable(),
  faults: z.record(z.string(), z.int()),
});

export const CHANNEL_WITH_HEALTH = z
  .object({
    ...CHANNEL.shape,
    balance: BALANCE.nullable().describe("The latest known one; null if none was read."),
    health: z.object({
      state: z.enum(CONDITIONS),
      text: z.string().describe("The state with its reason."),
      since: z.int().nullable(),
      until: z.int().nullable(),
      last_5_minutes: SUM,
      last_24_hours: SUM,
      spend_today_usd: z.number().describe("Since midnight in UTC."),
    }),
  })
  .meta({ id: "ChannelWithHealth" });

export const MINUTE = z.object({ minute: z.int(), ...SUM.shape, cost_usd: z.number() });

type HealthDeps = Pick<RoutingDeps, "relay" | "channelCare" | "audit">;

export async function showWithHealth(listed: ListedChannel, deps: HealthDeps): Promise<JsonObject> {
  const { channel, stored, issue, disabled } = listed;
  const { recent, day, today } = await deps.channelCare.reports.of(channel.name);
  const balance = await deps.channelCare.balances.latest(channel.name);
  const isEnabled = stored?.isEnabled !== false;
  const { state, text, since, until } = conditionOf({
    isEnabled,
    disabledBy: isEnabled ? undefined : await findDisabler(stored?.id, deps.audit),
    issue,
    disabled,
    troubles: deps.relay.attempts.health.troubles(channel),
    recent,
  });
  return {
    ...showChannel(listed, deps.relay.attempts.health),
    balance: balance === undefined ? null : showBalance(balance, channel),
    health: {
      state,
      text,
      since: since === undefined ? null : seconds(since),
      until: until === undefined ? null : seconds(until),
      last_5_minutes: showSum(recent),
      last_24_hours: showSum(day),
      spend_today_usd: showUsd(today.cost),
    },
  };
}

export function showSum(sum: ChannelSum): JsonObject {
  const { attempts, failed, faults } = sum;
  return {
    attempts,
    failed,
    success_rate: attempts === 0 ? null : (attempts - failed) / attempts,
    first_byte_p50_ms: firstByteAt(sum, 0.5) ?? null,
    first_byte_p95_ms: firstByteAt(sum, 0.95) ?? null,
    faults: Object.fromEntries(faults),
  };
}

/** Recent changes of channels, among which the name is looked for. */
const MAX_CHANGES = 100;

/** The user who disabled a stored channel; undefined if that was long ago. */
async function findDisabler(
  id: number | undefined,
  audit: Pick<AuditLog, "list">,
): Promise<string | undefined> {
  const changes = await audit.list({ action: "PUT /api/channel/:id", limit: MAX_CHANGES });
  // The fields are in the row before the change, and the result in the row after it.
  const done = new Set(
    changes.filter(({ outcome }) => outcome === "done").map(({ requestId }) => requestId),
  );
  const change = changes.find(
    ({ object, details, requestId }) =>
      object["id"] === String(id) && isDisabling(details) && done.has(requestId),
  );
  return change?.actor ?? undefined;
}

function isDisabling(details: JsonObject): boolean {
  return details["status"] === 2 || objectOf(details["fields"])?.["status"] === 2;
}
