import type { Reach } from "#core/channel.ts";
import { GatewayError, invalid } from "#core/error.ts";
import type { ChannelDraft } from "#core/stored-routing.ts";
import type { User } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import { either, integer, list, number, object, text, type ObjectRule } from "#lib/rules.ts";
import type { HttpDeps } from "#http/deps.ts";

const MAX_MODELS = 5_000;
const MAX_CREDENTIALS = 100;

/** Addresses may hold a login, and options what belongs in `api_key`. */
const UNQUOTED = { mayHoldSecret: true } as const;
const CREDENTIAL = text({ minLength: 1, isSecret: true });

/** Their shapes; what they may say is what the file may say. */
const FIELDS = {
  base_url: { ...text(), ...UNQUOTED, doc: "The vendor's own address where it is null." },
  api_key: { ...CREDENTIAL, doc: "Never shown again." },
  api_keys: {
    ...list(CREDENTIAL, MAX_CREDENTIALS, 1),
    ...UNQUOTED,
    doc: "Several, in place of `api_key`.",
  },
  models: {
    ...list(either(text(), object({ "name!": text(), upstream: text() })), MAX_MODELS, 1),
    doc: "Null for all that the upstream says it has.",
  },
  style: text(),
  options: { ...object({}), ...UNQUOTED },
  priority: integer(-1_000, 1_000),
  weight: number(0, 1_000),
  max_concurrent: integer(1, 1_000_000),
  limits: object({ rpm: integer(1, 1_000_000), tpm: integer(1, 100_000_000) }),
  status: integer(1, 2, "1 enabled, 2 disabled."),
};

export const NEW_CHANNEL: ObjectRule = object({
  "name!": text(),
  "provider!": text(),
  ...FIELDS,
});

export const CHANGED_CHANNEL: ObjectRule = object({ name: text(), provider: text(), ...FIELDS });

/** The words of the file among those of a body. */
export function descriptionIn(body: JsonObject): JsonObject {
  const { members } = CHANGED_CHANNEL;
  const said = Object.entries(body).filter(([name]) => name !== "status" && members.has(name));
  return Object.fromEntries(said);
}

/**
 * The networks that the channel's connections may reach. Only root may allow the operator's private
 * networks: anyone who can name an address there can make the gateway connect to it.
 */
export function reachFor(
  { baseUrl }: ChannelDraft,
  actor: User,
  { reachNeeded }: Pick<HttpDeps, "reachNeeded">,
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
