import type { Json } from "#lib/json.ts";
import { unixMs } from "#lib/unix-time.ts";
import { numberOf } from "#lib/values.ts";

/** Unix seconds. Some servers send milliseconds, and some send zero for unknown. */
export function createdAtIn(created: Json | undefined): number | undefined {
  const ms = unixMs(numberOf(created) ?? 0);
  return ms === undefined ? undefined : Math.floor(ms / 1_000);
}
