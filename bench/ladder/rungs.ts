import { openBare, openSeeing } from "../targets/bare.ts";
import { openSluice, startSluice } from "../targets/sluice.ts";
import { freePort, type Site, type Target, type Variant } from "../targets/target.ts";
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

/** As wide as those of the rungs below. */
const LIMITED = {
  SLUICE_USER_RPM: "1000000",
  SLUICE_USER_TPM: "100000000",
  SLUICE_USER_CONCURRENCY: "20000",
};

export const RUNGS: readonly Rung[] = [
  { id: "0-fetch", duty: "Bun.serve and fetch, bytes unread", open: openBare },
  { id: "0-sockets", duty: "Bun.serve and sockets, bytes read", open: openSeeing },
  plain(1, "0-sockets", "pooled connections to the upstream"),
  plain(2, "1-plain", "key by digest, request parsed and checked"),
  plain(3, "2-plain", "rate limits and quota in memory"),
  plain(4, "3-plain", "route, circuit breaker, deadline, hang-up"),
  plain(5, "4-plain", "price, and settlement on disk before the answer"),
  plain(6, "5-plain", "journal row"),
  ours(1, "0-sockets", "egress: pools, deadlines, strict HTTP"),
  ours(2, "1-ours", "authenticate, HttpExchange, body, chat fields, Call"),
  ours(3, "2-ours", "rate reservation of one user"),
  ours(4, "3-ours", "Router.plan, Health, Attempt, passthrough both ways"),
  ours(6, "4-ours", "hold, settlement and journal row in the ledger"),
  ours(6.5, "6-ours", "relay() instead: admission, Failover, Settlement, metrics"),
  {
    id: "7-sluice",
    duty: "the gateway: server, routes, idempotency",
    below: "6.5-ours",
    open: (site, variant) => openSluice(site, { ...variant, env: { ...variant.env, ...LIMITED } }),
  },
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

function plain(rung: number, below: string, duty: string): Rung {
  const id = `${rung}-plain`;
  return { id, duty, below, open: (site, variant) => openPlain(id, rung, site, variant) };
}

/** The same duties by the gateway's own modules. */
function ours(rung: number, below: string, duty: string): Rung {
  const id = `${rung}-ours`;
  return { id, duty, below, open: (site, variant) => openOurs(id, rung, site, variant) };
}

async function openOurs(id: string, rung: number, site: Site, variant: Variant): Promise<Target> {
  const port = freePort();
  const args = ["bench/ladder/ours.ts", ...[site.upstreamPort, port, rung].map(String)];
  return await startSluice(id, args, site, variant, { path: "/", ok: true }, { port });
}
