import { GatewayError, invalid } from "#core/error.ts";
import type { ModelDraft } from "#core/stored-routing.ts";
import type { ModelOverride } from "#core/model.ts";
import { isDay } from "#lib/iso-date.ts";
import type { Json } from "#lib/json.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { integer, object, text } from "#lib/rules.ts";
import { textOf } from "#lib/values.ts";
import type { ChannelRegistry } from "#relay/routing/channel-registry.ts";
import type { HttpDeps } from "#http/deps.ts";
import type { Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { PRICE_MEMBERS, VARIANTS } from "../price-fields.ts";
import { readFields } from "../read-fields.ts";
import { modelIn, showModel } from "./list-models.ts";

const OVERRIDE = object({
  ...PRICE_MEMBERS,
  variants: VARIANTS,
  source: { ...text({ minLength: 1, maxLength: 500 }), doc: "Where the price was read." },
  date: { ...text({ minLength: 10, maxLength: 10 }), doc: "The day it was read; else today." },
  context: integer(1, 100_000_000),
  max_output: integer(1, 100_000_000),
  like: text({
    minLength: 1,
    maxLength: 512,
    doc: "Id of a known model whose traits this one has, as far as nothing else is said.",
  }),
  limits: object({ rpm: integer(1, 1_000_000), tpm: integer(1, 100_000_000) }),
});

const common = {
  access: "admin",
  renderError: renderFailure,
  path: "/api/model/:name{.+}",
} as const;

export const putModelOverride: Route<HttpDeps> = {
  ...common,
  method: "PUT",
  summary:
    "Says what a model costs and can do, in place of the catalogue and of what was said before. " +
    "Calls under way keep their price.",
  requestSchema: () => schemaOf(OVERRIDE),

  async handle(exchange, { channelRegistry, modelStore, channels, readModel, clock }) {
    const name = modelIn(exchange);
    const { source, date, ...said } = await readFields(exchange, OVERRIDE);
    refuseOwned(name, channelRegistry);
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    const override = priced(readModel(name, said), source, date ?? today);
    if (Object.keys(override).length === 0) {
      throw new GatewayError("invalid_request", "Nothing is said of the model.");
    }
    await modelStore.put(name, override);
    await channelRegistry.load();
    const shown = showModel(name, channels.models.get(name), channelRegistry);
    return succeed(exchange.id, "The model was changed.", shown);
  },
};

export const deleteModelOverride: Route<HttpDeps> = {
  ...common,
  method: "DELETE",
  summary: "Takes back what was said of a model: the catalogue's words hold again.",

  async handle(exchange, { channelRegistry, modelStore }) {
    const name = modelIn(exchange);
    refuseOwned(name, channelRegistry);
    if (!(await modelStore.delete(name))) {
      throw new GatewayError("not_found", "Nothing was said of this model.");
    }
    await channelRegistry.load();
    return succeed(exchange.id, "What was said of the model was taken back.");
  },
};

function refuseOwned(name: string, { overrides }: ChannelRegistry): void {
  const { owner } = overrides.get(name) ?? {};
  if (owner === undefined) return;
  throw new GatewayError(
    "invalid_request",
    `The model '${name}' is described in ${owner}, and cannot be changed here.`,
  );
}

/** Every price must name its source, so that an operator can check it. */
function priced(
  { rates, ...said }: ModelDraft,
  source: Json | undefined,
  date: Json,
): ModelOverride {
  if (rates === undefined) return said;
  const from = textOf(source);
  if (from === undefined || from.trim() === "") {
    throw invalid("source", "'source' must say where the price was read.");
  }
  const day = textOf(date) ?? "";
  if (!isDay(day)) throw invalid("date", "'date' must be a day such as 2030-12-31.");
  return { ...said, price: { ...rates, source: from, date: day } };
}
