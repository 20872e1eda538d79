import { invalid } from "#core/error.ts";
import type { QuotaOwner } from "#core/quota.ts";
import type { User } from "#core/user.ts";
import { ulid } from "#lib/ids.ts";
import type { JsonObject } from "#lib/json.ts";
import { object, text } from "#lib/rules.ts";
import { textOf } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { readFields } from "../read-fields.ts";
import { readUsdChange, USD_CHANGE } from "../usd.ts";
import { showQuota } from "./show-quota.ts";

export const TOP_UP = object({
  "add_usd!": USD_CHANGE,
  "note!": text({ minLength: 1, maxLength: 500 }),
  operation: {
    ...text({ minLength: 1, maxLength: 255 }),
    doc: "Names the top-up, so that it can be sent again without being done again.",
  },
});

/** Relative, so that two at once both count. The body is read before whoever it is for is looked for. */
export async function topUp(
  exchange: Exchange,
  actor: User,
  findOwner: () => Promise<QuotaOwner>,
  deps: HttpDeps,
): Promise<Response> {
  const body = await readFields(exchange, TOP_UP);
  const amount = readUsdChange(body["add_usd"], "add_usd");
  const operation = readOperation(exchange, body) ?? ulid(deps.clock.now());
  const owner = await findOwner();
  const note = `${actor.name}: ${textOf(body["note"])}`;
  const isFirst = await deps.quotas.topUp(owner, { amount, operation, note });
  const message = isFirst ? "Done." : "This was done before, and was not done again.";
  return succeed(exchange.id, message, { operation, ...(await showQuota(owner, deps)) });
}

const VISIBLE = /^[\x21-\x7e]{1,255}$/;

/** As a field, or as the header that says the same elsewhere. */
function readOperation({ request }: Exchange, body: JsonObject): string | undefined {
  const header = request.headers.get("idempotency-key") ?? undefined;
  const given = textOf(body["operation"]) ?? header;
  if (given === undefined) return undefined;
  if (header !== undefined && header !== given) {
    throw invalid("operation", "'operation' and the Idempotency-Key are not the same.");
  }
  if (VISIBLE.test(given)) return given;
  throw invalid("operation", "'operation' must be 1 to 255 visible ASCII characters.");
}
