import { findViolation } from "#lib/find-violation.ts";
import type { Json } from "#lib/json.ts";
import type { Rule } from "#lib/rules.ts";
import { invalid } from "./error.ts";

/** Throws `invalid_request` where a body breaks its rule, and names the member. */
export function holdToRule(body: Json, rule: Rule): void {
  const found = findViolation(body, rule);
  if (found === undefined) return;
  const param = found.path.slice(1);
  throw invalid(param, `'${param}' ${found.problem}.`);
}
