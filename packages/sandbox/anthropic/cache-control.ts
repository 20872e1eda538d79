import type { JsonObject } from "../json.ts";
import { invalid } from "./error.ts";
import { field, inside, readChoice, readObject, readTagged, refuseExtras } from "./fields.ts";

/** How long the prompt up to here is kept. */
export type CacheTtl = "5m" | "1h";

/** The `cache_control` of a block, a tool, or the whole request. */
export function readCacheControl(object: JsonObject, path = ""): CacheTtl | undefined {
  const at = field(object, "cache_control", path);
  if (readObject(at) === undefined) return undefined;
  const { object: control, path: inner } = readTagged(at, ["ephemeral"]);
  refuseExtras(control, ["type", "ttl"], inner);
  return readChoice(field(control, "ttl", inner), ["5m", "1h"]) ?? "5m";
}

/** Where a part of the prompt may be cached up to, in the order tools, system, messages. */
interface Breakpoint {
  readonly path: string;
  readonly ttl: CacheTtl;
}

export function checkBreakpoints(breakpoints: readonly Breakpoint[]): void {
  if (breakpoints.length > MAX_BREAKPOINTS) {
    throw invalid(
      "",
      `A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${breakpoints.length}.`,
    );
  }
  const firstShort = breakpoints.findIndex(({ ttl }) => ttl === "5m");
  const late = breakpoints.find(
    ({ ttl }, index) => ttl === "1h" && firstShort >= 0 && index > firstShort,
  );
  if (late !== undefined) {
    throw invalid(
      inside(late.path, "cache_control.ttl"),
      "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
    );
  }
}

const MAX_BREAKPOINTS = 4;
