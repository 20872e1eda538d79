import { z } from "zod";
import { MODEL_FIELDS } from "#config/documents/model.ts";
import { GatewayError, invalid } from "#core/error.ts";
import type { ModelDraft } from "#core/stored-routing.ts";
import type { ModelOverride } from "#core/model.ts";
import { isDay } from "#lib/iso-date.ts";
import type { ChannelRegistry } from "#relay/routing/channel-registry.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import { succeed } from "../envelope.ts";
import { documentFields } from "../fields.ts";
import { management } from "../management.ts";
import { MODEL_ENTRY, modelIn, showModel } from "./list-models.ts";

const OVERRIDE = z.strictObject({
  ...documentFields(MODEL_FIELDS),
  source: z.string().min(1).max(500).describe("Source of the price.").nullish(),
  date: z
    .string()
    .min(10)
    .max(10)
    .describe("Day on which the price was read; today if absent.")
    .nullish(),
});

const common = {
  access: "admin",
  path: "/api/model/:name{.+}",
} as const;

export const putModelOverride = management({
  operationId: "putModelOverride",
  tag: "Model settings",
  ...common,
  scope: "models:write",
  method: "PUT",
  summary:
    "Sets prices and abilities of a model, instead of the catalogue and of an earlier override. " +
    "Running calls keep their price.",
  body: OVERRIDE,
  data: MODEL_ENTRY,

  async handle(
    exchange,
    {
      channelRegistry,
      modelStore,
      channels,
      readModel,
      clock,
    }: Pick<RoutingDeps, "channelRegistry" | "modelStore" | "channels" | "readModel" | "clock">,
    { body },
  ) {
    const name = modelIn(exchange);
    const { source, date, ...said } = body;
    refuseOwned(name, channelRegistry);
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    const override = priced(readModel(name, said), source, date ?? today);
    if (Object.keys(override).length === 0) {
      throw new GatewayError("invalid_request", "The body sets no field of the model.");
    }
    await modelStore.put(name, override);
    await channelRegistry.load();
    const shown = showModel(name, channels.models.get(name), channelRegistry);
    return succeed(exchange.id, "The model was changed.", shown);
  },
});

export const deleteModelOverride = management({
  operationId: "deleteModelOverride",
  tag: "Model settings",
  ...common,
  scope: "models:write",
  method: "DELETE",
  summary: "Deletes the override of a model: the catalogue applies again.",

  async handle(
    exchange,
    { channelRegistry, modelStore }: Pick<RoutingDeps, "channelRegistry" | "modelStore">,
  ) {
    const name = modelIn(exchange);
    refuseOwned(name, channelRegistry);
    if (!(await modelStore.delete(name))) {
      throw new GatewayError("not_found", "This model has no override.");
    }
    await channelRegistry.load();
    return succeed(exchange.id, "The override of the model was deleted.");
  },
});

function refuseOwned(name: string, { overrides }: ChannelRegistry): void {
  const { owner } = overrides.get(name) ?? {};
  if (owner === undefined) return;
  throw new GatewayError(
    "invalid_request",
    `The model '${name}' is defined in ${owner}. Change it there.`,
  );
}

/** Every price must name its source, so that an operator can check it. */
function priced(
  { rates, ...said }: ModelDraft,
  source: string | null | undefined,
  date: string,
): ModelOverride {
  if (rates === undefined) return said;
  const from = source ?? "";
  if (from.trim() === "") {
    throw invalid("source", "'source' must name the source of the price.");
  }
  if (!isDay(date)) throw invalid("date", "'date' must be a day such as 2030-12-31.");
  return { ...said, price: { ...rates, source: from, date } };
}
