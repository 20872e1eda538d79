import { mkdirSync } from "node:fs";

import { KEY } from "../targets/sluice.ts";
import {
  freePort,
  onBun,
  startTarget,
  type Site,
  type Target,
  type Variant,
} from "../targets/target.ts";

/** The plain program with the duties up to a rung. */
export async function openPlain(
  id: string,
  rung: number,
  { root, folder, upstreamPort }: Site,
  variant: Variant,
): Promise<Target> {
  const place = `${folder}/${id}`;
  mkdirSync(place);
  const port = freePort();
  const args = [upstreamPort, port, place, rung].map(String);
  const { command, env } = onBun([`${root}/bench/plain/gateway.ts`, ...args], variant);
  return startTarget(
    { id, title: id, port, headers: { authorization: `Bearer ${KEY}` } },
    { folder: place, cwd: root, command, env: { ...env, ...HEAP_ENV } },
    { path: "/", ok: true },
  );
}

/** As launch.mjs starts the gateway. */
const HEAP_ENV = { BUN_JSC_forceRAMSize: "300000000", BUN_JSC_numberOfGCMarkers: "1" };
