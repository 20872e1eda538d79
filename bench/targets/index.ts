import { openBare } from "./bare.ts";
import { openPlain } from "../plain/open-plain.ts";
import { openNginx } from "./nginx.ts";
import { openPortkey } from "./portkey.ts";
import { openLitellm } from "./litellm.ts";
import { openExecutable, openSluice, openSluicePostgres, openTwoProcesses } from "./sluice.ts";
import type { Missing, Site, Target, Variant } from "./target.ts";

export type OpenTarget = (site: Site, variant: Variant) => Promise<Target | Missing>;

export const TARGETS: Readonly<Record<string, OpenTarget>> = {
  nginx: openNginx,
  bare: openBare,
  floor: (site, variant) => openPlain("floor", 6, site, variant),
  sluice: openSluice,
  "sluice-exe": openExecutable,
  "sluice-pg": openSluicePostgres,
  "sluice-pg-2": openTwoProcesses,
  portkey: openPortkey,
  litellm: openLitellm,
};

export const TARGET_IDS: readonly string[] = Object.keys(TARGETS);

interface OpenedTargets extends AsyncDisposable {
  readonly targets: readonly Target[];
  /** Why targets are left out. */
  readonly notes: readonly string[];
  /** One that is there did not start, which is not the same as one that is missing. */
  readonly isBroken: boolean;
}

/** Starts what can be had of the targets; the others are noted and left out. */
export async function openTargets(
  ids: readonly string[],
  site: Site,
  variant: Variant,
  known: Readonly<Record<string, OpenTarget>> = TARGETS,
): Promise<OpenedTargets> {
  const targets: Target[] = [];
  const notes: string[] = [];
  let isBroken = false;

  for (const id of ids) {
    try {
      const target = await known[id]?.(site, variant);
      if (target === undefined) continue;
      if ("missing" in target) notes.push(target.missing);
      else targets.push(target);
    } catch (cause) {
      isBroken = true;
      notes.push(`${id} is left out, because it did not start: ${String(cause)}`);
    }
  }
  return {
    targets,
    notes,
    isBroken,
    async [Symbol.asyncDispose]() {
      await Promise.all(targets.map((target) => target[Symbol.asyncDispose]()));
    },
  };
}
