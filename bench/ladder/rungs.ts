import { openBare, openSeeing } from "../targets/bare.ts";
import { openSluice } from "../targets/sluice.ts";
import type { Site, Variant } from "../targets/target.ts";
import type { OpenTarget } from "../targets/index.ts";
import { openPlain } from "../plain/open-plain.ts";

/** One program of the ladder: it has the duties of the rungs below it, and one more. */
export interface Rung {
  readonly id: string;
  readonly duty: string;
  /** The rung that it is compared with. */
  readonly below?: string;
  readonly open: OpenTarget;
}

export const RUNGS: readonly Rung[] = [
  { id: "0-fetch", duty: "Bun.serve and fetch, bytes unread", open: openBare },
  { id: "0-sockets", duty: "Bun.serve and sockets, bytes read", open: openSeeing },
  { ...plain(1, "pooled connections to the upstream"), below: "0-sockets" },
  plain(2, "key by digest, request parsed and checked"),
  plain(3, "rate limits and quota in memory"),
  plain(4, "route, circuit breaker, deadline, hang-up"),
  plain(5, "price, and settlement on disk before the answer"),
  plain(6, "journal row"),
  { id: "7-sluice", duty: "the gateway", below: "6-plain", open: openSluice },
];

export const RUNG_IDS: readonly string[] = RUNGS.map(({ id }) => id);

export const LADDER: Readonly<Record<string, OpenTarget>> = Object.fromEntries(
  RUNGS.map(({ id, open }) => [
    id,
    async (site: Site, variant: Variant) => {
      const target = await open(site, variant);
      return "missing" in target ? target : { ...target, id };
    },
  ]),
);

function plain(rung: number, duty: string): Rung {
  return {
    id: `${rung}-plain`,
    duty,
    below: `${rung - 1}-plain`,
    open: (site, variant) => openPlain(rung, site, variant),
  };
}
