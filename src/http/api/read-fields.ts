import { invalid } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import type { ObjectRule } from "#lib/rules.ts";
import { validate } from "#core/validate.ts";
import type { Exchange } from "../routes.ts";
import { MAX_BODY_BYTES } from "./envelope.ts";

/**
 * A body of the management API, held to its rule. A field that nobody knows is
 * refused, since a misspelt bound would be no bound; what answers show beside
 * the fields that can be set may be sent back, and is not looked at.
 */
export async function readFields(
  exchange: Exchange,
  rule: ObjectRule,
  shown: readonly string[] = [],
): Promise<JsonObject> {
  const { json } = await exchange.readJson(MAX_BODY_BYTES);
  validate(json, rule);
  for (const name of Object.keys(json)) {
    if (rule.members.has(name) || shown.includes(name)) continue;
    const known = [...rule.members.keys()].join(", ");
    const param = name.slice(0, 64);
    throw invalid(param, `'${param}' is not known here; the fields are: ${known}.`);
  }
  return json;
}
