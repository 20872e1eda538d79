import { call, type CallOptions, type Outcome } from "../client/call.ts";
import { crowd } from "../client/crowd.ts";
import { GOOD, type Field } from "../field.ts";
import type { Key } from "../gateway/adapter.ts";
import type { Plan } from "../vendor/plan.ts";

/** One of many calls of the good model. */
type OneCall = Omit<Plan, "id"> &
  Pick<CallOptions, "isStream" | "leaveAfterTokens" | "leaveAfterMs">;

/** Makes `count` calls with a key, `atOnce` at the same time; results have the calls' order. */
export function callMany(
  field: Field,
  key: Key,
  { count, atOnce }: { readonly count: number; readonly atOnce: number },
  describe: (number: number) => OneCall,
): Promise<readonly Outcome[]> {
  return crowd(count, atOnce, (number) => callOnce(field, key, describe(number)));
}

export function callOnce(
  field: Field,
  key: Key,
  { isStream, leaveAfterTokens, leaveAfterMs, ...plan }: OneCall,
): Promise<Outcome> {
  return call({
    url: field.gateway.url,
    secret: key.secret,
    model: field.request(GOOD),
    plan: { id: field.nextId(), ...plan },
    isStream,
    ...(leaveAfterTokens === undefined ? {} : { leaveAfterTokens }),
    ...(leaveAfterMs === undefined ? {} : { leaveAfterMs }),
  });
}
