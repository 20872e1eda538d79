import { z } from "zod";
import { CHANNEL_FIELDS } from "#config/documents/channel.ts";
import type { Reach } from "#core/channel.ts";
import { GatewayError, invalid } from "#core/error.ts";
import type { ChannelDraft } from "#core/stored-routing.ts";
import type { User } from "#core/user.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import { documentField, documentFields, optional, shownOnly } from "../fields.ts";

const MAX_MODELS = 5_000;
const MAX_CREDENTIALS = 100;

const TEXT = z.string();
const { name: _, provider: __, api_keys: keys, models, ...others } = CHANNEL_FIELDS;

/** As the configuration describes them. */
const FIELDS = {
  ...documentFields(others),
  api_keys: documentField(keys, { maxItems: MAX_CREDENTIALS }),
  models: documentField(models, { maxItems: MAX_MODELS }),
  status: optional(z.int().min(1).max(2).describe("1 enabled, 2 disabled.")),
};

const REVISION = optional(
  z
    .int()
    .min(1)
    .describe(
      "The revision that the change is based on. If the channel changed since, nothing is changed.",
    ),
);

export const NEW_CHANNEL = z.strictObject({ name: TEXT, provider: TEXT, ...FIELDS });

export const CHANGED_CHANNEL = z.strictObject({
  name: TEXT.nullish(),
  provider: TEXT.nullish(),
  ...FIELDS,
  revision: REVISION,
  ...shownOnly([
    "id",
    "source",
    "owner",
    "serving",
    "disabled",
    "trouble",
    "credentials",
    "reach",
    "state",
    "in_flight",
    "health",
    "balance",
    "created_at",
    "updated_at",
  ]),
});

export type ChangedChannel = z.output<typeof CHANGED_CHANNEL>;

const DESCRIBING = ["name", "provider", ...Object.keys(FIELDS)].filter((name) => name !== "status");

/** The words of the file among those of a body. */
export function descriptionIn(
  body: z.output<typeof NEW_CHANNEL> | Partial<ChangedChannel>,
): JsonObject {
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
  { baseUrl, proxy }: Pick<ChannelDraft, "baseUrl" | "proxy">,
  actor: User,
  { reachNeeded }: Pick<RoutingDeps, "reachNeeded">,
): Reach {
  // Only addresses of known schemes are read, and SOCKS has another.
  const addresses = { base_url: baseUrl, proxy: proxy?.url.replace(/^socks5:/, "http:") };
  for (const [param, address = ""] of Object.entries(addresses)) {
    const url = URL.parse(address);
    const needed = url === null ? "public" : reachNeeded(url);
    if (needed === undefined) {
      throw invalid(param, `'${param}' must not lead to link-local or metadata addresses.`);
    }
    if (needed === "public" || actor.role === "root") continue;
    throw new GatewayError(
      "forbidden",
      `'${param}' leads into a private network; only root may open that.`,
      { param },
    );
  }
  return actor.role === "root" ? "private" : "public";
}
