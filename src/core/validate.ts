import { findViolation } from "#lib/find-violation.ts";
import type { Json } from "#lib/json.ts";
import type { Rule } from "#lib/rules.ts";
import { invalid, type GatewayError } from "./error.ts";

/**
 * Throws `invalid_request` if a body breaks its rule, and names the member.
 * Returns what to refuse it with if it cannot be passed on as it is: it says
 * something that only the author of its format may know.
 */
export function validate(body: Json, rule: Rule): GatewayError | undefined {
  const found = findViolation(body, rule);
  if (found === undefined) return undefined;
  const param = found.path.slice(1);
  const refusal = invalid(param, `'${param}' ${found.problem}.`);
  if (found.mayBeNewer !== true) throw refusal;
  return refusal;
}
