import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";

import { MODEL } from "../payload.ts";
import { freePort, startTarget, type Missing, type Site, type Target } from "./target.ts";

const VERSION = "1.106.2";
/** It refuses to start with a short one. */
const KEY = "sk-litellm-bench-7f3a9c51d2e84b06a1c7f5e3b9d08264";
const INSTALL_TIMEOUT_MS = 600_000;

/** A peer in Python, with one worker and without a database: neither keys of its own nor a ledger. */
export async function openLitellm(site: Site): Promise<Target | Missing> {
  const python = Bun.which("python3");
  if (python === null) return { missing: "LiteLLM is left out: python3 is not on the PATH." };
  const cache = `${site.root}/.cache/bench/litellm`;
  const failure = await install(python, cache);
  if (failure !== undefined) return { missing: failure };

  const folder = `${site.folder}/litellm`;
  const port = freePort();
  mkdirSync(folder);
  writeFileSync(`${folder}/config.yaml`, config(site.upstreamPort));
  return startTarget(
    {
      id: "litellm",
      title: `LiteLLM ${VERSION}`,
      port,
      headers: { authorization: `Bearer ${KEY}` },
    },
    {
      folder,
      command: [
        `${cache}/bin/litellm`,
        `--config=${folder}/config.yaml`,
        "--host=127.0.0.1",
        `--port=${port}`,
        "--num_workers=1",
      ],
      env: {
        LITELLM_LOG: "ERROR",
        LITELLM_MODE: "PRODUCTION",
        // Its price list is part of the package; it would fetch a newer one.
        LITELLM_LOCAL_MODEL_COST_MAP: "True",
      },
    },
    { path: "/health/liveliness", ok: true },
  );
}

function config(upstreamPort: number): string {
  return `
model_list:
  - model_name: ${MODEL}
    litellm_params:
      model: openai/${MODEL}
      api_base: http://127.0.0.1:${upstreamPort}/v1
      api_key: sk-upstream-bench
      input_cost_per_token: 0.00000015
      output_cost_per_token: 0.0000006
litellm_settings: { telemetry: false, request_timeout: 600 }
general_settings: { master_key: ${KEY} }
`;
}

/** Installs the peer into an environment of its own, once; tells why when it cannot. */
async function install(python: string, folder: string): Promise<string | undefined> {
  const mark = `${folder}/bench-version`;
  if (existsSync(mark) && (await Bun.file(mark).text()) === VERSION) return;

  rmSync(folder, { recursive: true, force: true });
  const steps = [
    [python, "-m", "venv", folder],
    [`${folder}/bin/pip`, "install", "--quiet", `litellm[proxy]==${VERSION}`],
  ];
  for (const command of steps) {
    const child = Bun.spawn(command, {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
      timeout: INSTALL_TIMEOUT_MS,
    });
    const words = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) {
      return `LiteLLM is left out: pip could not install it. ${words.trim().slice(-300)}`;
    }
  }
  writeFileSync(mark, VERSION);
}
