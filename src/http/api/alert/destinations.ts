import { z } from "zod";
import { descriptionOf } from "#config/documents/fields.ts";
import { DESTINATION_FIELDS } from "#config/documents/alert.ts";
import {
  addressProblem,
  DESTINATION_KINDS,
  MAX_MAIL_ADDRESSES,
  shownUrl,
  type AlertDestination,
  type DestinationAddress,
  type DestinationKind,
} from "#core/alert.ts";
import { GatewayError, invalid } from "#core/error.ts";
import type { AlertDeps } from "#http/deps/alerts.ts";
import type { Exchange } from "#http/routes.ts";
import type { JsonObject } from "#lib/json.ts";
import { createWebhookSecret } from "#lib/standard-webhooks.ts";
import { defined } from "#lib/values.ts";
import { testMessage } from "#relay/alerts/message.ts";
import { succeed } from "../envelope.ts";
import { optional, shownOnly } from "../fields.ts";
import { items, management } from "../management.ts";
import { NAME } from "../name-fields.ts";
import { readId } from "../read-id.ts";
import { seconds } from "../seconds.ts";

const STATUS = z.union([z.literal(1), z.literal(2)]).describe("1 enabled, 2 disabled.");

const FIELDS = {
  status: optional(STATUS),
  url: z
    .string()
    .min(1)
    .max(2_048)
    .meta({ writeOnly: true, description: descriptionOf(DESTINATION_FIELDS.url) })
    .optional(),
  secret: z
    .string()
    .min(1)
    .max(512)
    .meta({ writeOnly: true, description: descriptionOf(DESTINATION_FIELDS.secret) })
    .nullish(),
  to: z
    .array(z.string().min(3).max(254))
    .min(1)
    .max(MAX_MAIL_ADDRESSES)
    .describe(descriptionOf(DESTINATION_FIELDS.to))
    .optional(),
};

const NEW_DESTINATION = z.strictObject({ name: NAME, kind: z.enum(DESTINATION_KINDS), ...FIELDS });
const CHANGED_DESTINATION = z.strictObject({
  name: optional(NAME),
  ...FIELDS,
  ...shownOnly(["id", "kind", "address", "has_secret", "created_at", "updated_at"]),
});

const DESTINATION = z
  .object({
    id: z.int(),
    name: z.string(),
    kind: z.enum(DESTINATION_KINDS),
    status: STATUS,
    address: z.string().nullable().describe("The URL without its path, or the e-mail addresses."),
    has_secret: z.boolean(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: "AlertDestination" });

const CREATED = z.object({
  ...DESTINATION.shape,
  secret: z.string().nullable().describe("Verifies messages to a webhook; shown only here."),
});

const common = { tag: "Alerts", path: "/api/alert/destination" } as const;
const one = { tag: "Alerts", path: "/api/alert/destination/:id" } as const;

type Destinations = Pick<AlertDeps, "alertDestinations" | "links">;

export const listAlertDestinations = management({
  operationId: "listAlertDestinations",
  ...common,
  method: "GET",
  access: "auditor",
  scope: "alerts:read",
  summary: "All destinations of alerts, without their secrets.",
  data: items(DESTINATION),

  async handle({ id }, { alertDestinations }: Pick<AlertDeps, "alertDestinations">) {
    const found = await alertDestinations.list();
    return succeed(id, "", { items: found.map(showDestination) });
  },
});

export const createAlertDestination = management({
  operationId: "createAlertDestination",
  ...common,
  method: "POST",
  access: "admin",
  scope: "alerts:write",
  summary: "Creates a destination of alerts. For a webhook, the answer has the signing secret.",
  body: NEW_DESTINATION,
  data: CREATED,

  async handle({ id }, { alertDestinations, links }: Destinations, { body }) {
    const { name, kind, status } = body;
    const given = { url: body.url, to: body.to, secret: secretFor(kind, body.secret) };
    const address = checked(kind, defined(given), links);
    const created = await alertDestinations.create({
      name,
      kind,
      isEnabled: status !== 2,
      address,
    });
    return succeed(id, "The destination was created.", {
      ...showDestination(created),
      secret: kind === "webhook" ? (address.secret ?? null) : null,
    });
  },
});

export const updateAlertDestination = management({
  operationId: "updateAlertDestination",
  ...one,
  method: "PUT",
  access: "admin",
  scope: "alerts:write",
  summary:
    "Changes a destination. Absent fields stay unchanged. A new URL drops the secret of a chat " +
    "service, unless it is given too.",
  body: CHANGED_DESTINATION,
  data: DESTINATION,

  async handle(exchange, { alertDestinations, links }: Destinations, { body }) {
    const before = await findDestination(exchange, alertDestinations);
    const { name, status, url, to, secret } = body;
    const isMoved = url !== undefined || to !== undefined || secret !== undefined;
    const changed = await alertDestinations.change(
      before.id,
      defined({
        name,
        isEnabled: status === undefined ? undefined : status === 1,
        address: isMoved ? checked(before.kind, addressOf(before, body), links) : undefined,
      }),
    );
    if (changed === undefined) throw noSuchDestination();
    return succeed(exchange.id, "The destination was changed.", showDestination(changed));
  },
});

export const deleteAlertDestination = management({
  operationId: "deleteAlertDestination",
  ...one,
  method: "DELETE",
  access: "admin",
  scope: "alerts:write",
  summary: "Deletes a destination. Rules that name it send to their other destinations.",

  async handle(exchange, { alertDestinations }: Pick<AlertDeps, "alertDestinations">) {
    const { id } = await findDestination(exchange, alertDestinations);
    if (!(await alertDestinations.delete(id))) throw noSuchDestination();
    return succeed(exchange.id, "The destination was deleted.");
  },
});

export const rotateAlertSecret = management({
  operationId: "rotateAlertSecret",
  tag: "Alerts",
  path: "/api/alert/destination/:id/secret",
  method: "POST",
  access: "admin",
  scope: "alerts:write",
  summary: "Creates a new signing secret of a webhook; the former one is not valid any more.",
  data: z.object({ secret: z.string() }),

  async handle(exchange, { alertDestinations }: Pick<AlertDeps, "alertDestinations">) {
    const { id, kind, address } = await findDestination(exchange, alertDestinations);
    if (kind !== "webhook" || address === undefined) {
      throw new GatewayError("invalid_request", "Only a webhook has a secret of the gateway.");
    }
    const secret = createWebhookSecret();
    await alertDestinations.change(id, { address: { ...address, secret } });
    return succeed(exchange.id, "The secret was created.", { secret });
  },
});

export const testAlertDestination = management({
  operationId: "testAlertDestination",
  tag: "Alerts",
  path: "/api/alert/destination/:id/test",
  method: "POST",
  access: "admin",
  scope: "alerts:write",
  summary: "Sends a test message at once, and says what the destination answered.",
  data: z.object({
    ok: z.boolean(),
    status: z.int().nullable().describe("HTTP status; null without one."),
    answer: z.string().nullable().describe("The begin of the answer."),
    error: z.string().nullable(),
  }),

  async handle(exchange, deps: Pick<AlertDeps, "alertDestinations" | "alertSender" | "clock">) {
    const destination = await findDestination(exchange, deps.alertDestinations);
    const message = testMessage(exchange.id, deps.clock.now());
    const sent = await deps.alertSender.send(destination, `test_${exchange.id}`, message);
    return succeed(exchange.id, sent.isDelivered ? "The message was taken." : "It failed.", {
      ok: sent.isDelivered,
      status: sent.status ?? null,
      answer: sent.answer ?? null,
      error: sent.error ?? null,
    });
  },
});

/** The gateway makes the secrets of webhooks. */
function secretFor(kind: DestinationKind, given: string | null | undefined): string | undefined {
  if (kind !== "webhook") return given ?? undefined;
  if (given === undefined || given === null) return createWebhookSecret();
  throw invalid("secret", "The gateway makes the secret of a webhook. Leave 'secret' out.");
}

function addressOf(
  { kind, address = {} }: AlertDestination,
  { url, to, secret }: z.output<typeof CHANGED_DESTINATION>,
): DestinationAddress {
  const isMoved = url !== undefined && url !== address.url;
  const kept = isMoved && kind !== "webhook" ? undefined : address.secret;
  if (kind === "webhook" && secret !== undefined) secretFor(kind, secret ?? "");
  return defined({
    url: url ?? address.url,
    to: to ?? address.to,
    secret: secret === undefined ? (kept ?? secretFor(kind, null)) : (secret ?? undefined),
  });
}

function checked(
  kind: DestinationKind,
  address: DestinationAddress,
  links: AlertDeps["links"],
): DestinationAddress {
  const problem = addressProblem(kind, address);
  if (problem !== undefined) {
    throw new GatewayError("invalid_request", `The destination ${problem}`);
  }
  if (address.url !== undefined) links.check(address.url, "url");
  return address;
}

/** By id, or by name. */
async function findDestination(
  exchange: Exchange,
  store: AlertDeps["alertDestinations"],
): Promise<AlertDestination> {
  const given = exchange.param("id");
  const id = readId(given);
  const found =
    (id === undefined ? undefined : await store.find(id)) ??
    (await store.list()).find(({ name }) => name === given);
  if (found === undefined) throw noSuchDestination();
  return found;
}

function showDestination(destination: AlertDestination): JsonObject {
  const { address, createdAt, updatedAt } = destination;
  const { url, to, secret } = address ?? {};
  return {
    id: destination.id,
    name: destination.name,
    kind: destination.kind,
    status: destination.isEnabled ? 1 : 2,
    address: url === undefined ? (to?.join(", ") ?? null) : shownUrl(url),
    has_secret: secret !== undefined,
    created_at: seconds(createdAt),
    updated_at: seconds(updatedAt),
  };
}

function noSuchDestination(): GatewayError {
  return new GatewayError("not_found", "The destination does not exist.");
}
