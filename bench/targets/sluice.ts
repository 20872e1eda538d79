import { mkdirSync, writeFileSync } from "node:fs";

import { MODEL } from "../payload.ts";
import { freePort, startTarget, type Site, type Target } from "./target.ts";

const KEY = "sk-sluice-bench-bootstrap-key-0123456789";

/** The gateway as an operator runs it: authentication, ledger and journal on disk, nothing off. */
export async function openSluice(site: Site): Promise<Target> {
  const folder = `${site.folder}/sluice`;
  const port = freePort();
  mkdirSync(folder);
  writeFileSync(`${folder}/sluice.yaml`, config(site.upstreamPort));

  return startTarget(
    { id: "sluice", title: "Sluice", port, headers: { authorization: `Bearer ${KEY}` } },
    {
      folder,
      cwd: site.root,
      command: [process.execPath, "src/main.ts", "start"],
      env: {
        SLUICE_HOST: "127.0.0.1",
        SLUICE_PORT: String(port),
        SLUICE_DATA_DIR: `${folder}/data`,
        SLUICE_BOOTSTRAP_KEY: KEY,
        SLUICE_CONFIG: `${folder}/sluice.yaml`,
        // As launch.mjs starts it.
        BUN_CONFIG_MAX_HTTP_REQUESTS: "20000",
        BUN_JSC_forceRAMSize: "300000000",
      },
    },
    { path: "/readyz", ok: true },
  );
}

function config(upstreamPort: number): string {
  return `
channels:
  - name: bench
    provider: openai-compatible
    base_url: http://127.0.0.1:${upstreamPort}/v1
    api_key: sk-upstream-bench
    models: [${MODEL}]
models:
  ${MODEL}: { input: 0.15, output: 0.60 }
`;
}
