import { findViolation } from "#lib/find-violation.ts";
import type { Json } from "#lib/json.ts";
import type { Rule } from "#lib/rules.ts";
import { invalid, type GatewayError } from "./error.ts";

/**
 * Validates a body. Throws `invalid_request` with the field's name if it breaks
 * a rule. Returns an error if the body is valid but cannot be translated,
 * because it has a value that only the format's vendor may know.
 */
export function validate(body: Json, rule: Rule): GatewayError | undefined {
  const found = findViolation(body, rule);
  if (found === undefined) return undefined;
  const param = found.path.slice(1);
  const refusal = invalid(param, `'${param}' ${found.problem}.`);
  if (found.mayBeNewer !== true) throw refusal;
  return refusal;
}
