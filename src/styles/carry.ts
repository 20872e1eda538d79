import type { Extra } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import type { Json, JsonObject } from "#lib/json.ts";

/** An upstream's names for optional fields of clients; `all` if it may support any. */
export type Carries = "all" | Readonly<Record<string, string>>;

/** The fields that an upstream supports, under its names. Others are reported as lost. */
export function carry(
  extra: JsonObject | undefined,
  carries: Carries,
  report: LossReport,
): JsonObject {
  if (carries === "all") return extra ?? {};
  const carried: Record<string, Json> = {};
  for (const [name, value = null] of Object.entries(extra ?? {})) {
    const theirs = Object.hasOwn(carries, name) ? carries[name] : undefined;
    if (theirs === undefined) report.lose(name);
    else carried[theirs] = value;
  }
  return carried;
}

/**
 * The same for fields with an origin format: fields of formats other than `owners` are reported as
 * lost.
 */
export function carryFrom(
  extra: Extra | undefined,
  owners: readonly string[],
  carries: Carries,
  report: LossReport,
): JsonObject {
  const carried: Record<string, Json> = {};
  for (const [owner, members] of Object.entries(extra ?? {})) {
    Object.assign(carried, carry(members, owners.includes(owner) ? carries : {}, report));
  }
  return carried;
}
