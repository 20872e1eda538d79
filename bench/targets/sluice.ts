import { mkdirSync, writeFileSync } from "node:fs";

import { MODEL } from "../payload.ts";
import { freePort, onBun, startTarget, type Site, type Target, type Variant } from "./target.ts";

export const KEY = "sk-sluice-bench-bootstrap-key-0123456789";

/** The gateway as an operator runs it: authentication, ledger and journal on disk, nothing off. */
export async function openSluice(site: Site, variant: Variant): Promise<Target> {
  return await startSluice("sluice", ["src/main.ts", "start"], site, variant, {
    path: "/readyz",
    ok: true,
  });
}

/** Starts a program that reads the gateway's configuration; it gets its port by the environment. */
export async function startSluice(
  id: string,
  args: readonly string[],
  { root, folder: parent, upstreamPort }: Site,
  variant: Variant,
  ready: { readonly path: string; readonly ok: boolean },
  port = freePort(),
): Promise<Target> {
  const folder = `${parent}/${id}`;
  mkdirSync(folder);
  writeFileSync(`${folder}/sluice.yaml`, sluiceConfig(upstreamPort, variant));
  const { command, env } = onBun(args, variant);
  const headers = { authorization: `Bearer ${KEY}` };
  return startTarget(
    { id, title: id === "sluice" ? "Sluice" : id, port, headers, speaksMessages: true },
    {
      folder,
      cwd: root,
      command,
      env: {
        SLUICE_HOST: "127.0.0.1",
        SLUICE_PORT: String(port),
        SLUICE_DATA_DIR: `${folder}/data`,
        SLUICE_BOOTSTRAP_KEY: KEY,
        SLUICE_CONFIG: `${folder}/sluice.yaml`,
        // As launch.mjs starts it.
        BUN_CONFIG_MAX_HTTP_REQUESTS: "20000",
        BUN_JSC_forceRAMSize: "300000000",
        ...env,
      },
    },
    ready,
  );
}

export function sluiceConfig(upstreamPort: number, { callsAtOnce }: Variant): string {
  const limits =
    callsAtOnce === undefined
      ? ""
      : `limits: { channel_in_flight: ${callsAtOnce}, in_flight: ${callsAtOnce} }\n`;
  return `
channels:
  - name: bench
    provider: openai-compatible
    base_url: http://127.0.0.1:${upstreamPort}/v1
    api_key: sk-upstream-bench
    models: [${MODEL}]
models:
  ${MODEL}: { input: 0.15, output: 0.60 }
${limits}`;
}
