import { z } from "zod";
import type { Reach } from "#core/channel.ts";
import { GatewayError, invalid } from "#core/error.ts";
import type { ChannelDraft } from "#core/stored-routing.ts";
import type { User } from "#core/user.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { SENSITIVE } from "#lib/schema-rule.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import { jsonField, optional, shownOnly } from "../fields.ts";

const MAX_MODELS = 5_000;
const MAX_CREDENTIALS = 100;

/** Addresses may hold a login, and options what belongs in `api_key`. */
const UNQUOTED = { [SENSITIVE]: true };
const CREDENTIAL = z.string().min(1).meta({ writeOnly: true });
const TEXT = z.string();

/** Their shapes; what they may say is what the file may say. */
const FIELDS = {
  base_url: z
    .string()
    .meta({ ...UNQUOTED, description: "The vendor's own address where it is null." })
    .nullish(),
  api_key: CREDENTIAL.meta({ writeOnly: true, description: "Never shown again." }).nullish(),
  api_keys: z
    .array(CREDENTIAL)
    .min(1)
    .max(MAX_CREDENTIALS)
    .meta({ ...UNQUOTED, description: "Several, in place of `api_key`." })
    .nullish(),
  models: jsonField(
    z
      .array(z.union([TEXT, z.looseObject({ name: TEXT, upstream: TEXT.nullish() })]))
      .min(1)
      .max(MAX_MODELS)
      .describe("Null for all that the upstream says it has."),
  ).nullish(),
  style: TEXT.nullish(),
  options: jsonField(z.looseObject({}).meta(UNQUOTED)).nullish(),
  priority: z.int().min(-1_000).max(1_000).nullish(),
  weight: z.number().min(0).max(1_000).nullish(),
  max_concurrent: z.int().min(1).max(1_000_000).nullish(),
  limits: jsonField(
    z.looseObject({
      rpm: z.int().min(1).max(1_000_000).nullish(),
      tpm: z.int().min(1).max(100_000_000).nullish(),
    }),
  ).nullish(),
  status: optional(z.int().min(1).max(2).describe("1 enabled, 2 disabled.")),
};

export const NEW_CHANNEL = z.strictObject({ name: TEXT, provider: TEXT, ...FIELDS });

export const CHANGED_CHANNEL = z.strictObject({
  name: TEXT.nullish(),
  provider: TEXT.nullish(),
  ...FIELDS,
  ...shownOnly([
    "id",
    "source",
    "owner",
    "serving",
    "trouble",
    "credentials",
    "reach",
    "state",
    "in_flight",
    "created_at",
    "updated_at",
  ]),
});

export type ChangedChannel = z.output<typeof CHANGED_CHANNEL>;

const DESCRIBING = ["name", "provider", ...Object.keys(FIELDS)].filter((name) => name !== "status");

/** The words of the file among those of a body. */
export function descriptionIn(body: z.output<typeof NEW_CHANNEL> | ChangedChannel): JsonObject {
  const { status: _, ...said } = body;
  const fields: readonly (readonly [string, Json | undefined])[] = Object.entries(said).filter(
    ([name]) => DESCRIBING.includes(name),
  );
  return Object.fromEntries(fields);
}

/**
 * The networks that the channel's connections may reach. Only root may allow the operator's private
 * networks: anyone who can name an address there can make the gateway connect to it.
 */
export function reachFor(
  { baseUrl }: ChannelDraft,
  actor: User,
  { reachNeeded }: Pick<RoutingDeps, "reachNeeded">,
): Reach {
  const url = URL.parse(baseUrl ?? "");
  const needed = url === null ? "public" : reachNeeded(url);
  if (needed === undefined) {
    throw invalid("base_url", "'base_url' must not lead to link-local or metadata addresses.");
  }
  if (actor.role === "root") return "private";
  if (needed === "public") return "public";
  throw new GatewayError(
    "forbidden",
    "'base_url' leads into a private network; only root may open that.",
    { param: "base_url" },
  );
}
