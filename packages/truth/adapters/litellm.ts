import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Accounts, Adapter, Model, Site } from "../gateway/adapter.ts";
import { apiAt, numberAt, textAt } from "./http.ts";

/** Batches of spend are written after this time, as the project's page on production advises. */
const BATCH_S = 60;

export const LITELLM: Adapter = {
  id: "litellm",
  title: "LiteLLM",
  note: "Production settings of its documents: batches of 60 s, one worker. Written from its documents of October 2026; not run by its authors.",
  needs:
    "`litellm` on the PATH (pip install 'litellm[proxy]'), and --database with a PostgreSQL URL.",

  async prepare({ folder, port, models, silenceMs, program, database }: Site) {
    if (database === undefined) throw new Error("LiteLLM needs --database with a PostgreSQL URL.");
    const masterKey = `sk-${randomBytes(24).toString("hex")}`;
    const path = join(folder, "config.yaml");
    writeFileSync(path, configuration(models, masterKey, silenceMs));
    return {
      command: [
        ...(program ?? ["litellm"]),
        `--config=${path}`,
        "--host=127.0.0.1",
        `--port=${port}`,
        "--num_workers=1",
      ],
      env: {
        DATABASE_URL: database,
        LITELLM_MASTER_KEY: masterKey,
        LITELLM_MODE: "PRODUCTION",
        LITELLM_LOG: "ERROR",
      },
      readyPath: "/health/readiness",
      writeDelayMs: (BATCH_S + 10) * 1000,
      open: async (url) => accountsAt(url, masterKey),
    };
  },
};

function configuration(models: readonly Model[], masterKey: string, silenceMs: number): string {
  const deployments = models.flatMap(({ name, prices, channels }) =>
    channels.map(({ address }, place) => ({
      model_name: name,
      litellm_params: {
        model: `openai/${name}`,
        api_base: address,
        api_key: "sk-truth-upstream",
        input_cost_per_token: prices.input / 1e6,
        output_cost_per_token: prices.output / 1e6,
        // Channels are tried in this order.
        order: place + 1,
      },
    })),
  );
  // JSON is YAML.
  return JSON.stringify({
    model_list: deployments,
    router_settings: { num_retries: 2, timeout: silenceMs / 1000 },
    litellm_settings: { telemetry: false, request_timeout: silenceMs / 1000 },
    general_settings: { master_key: masterKey, proxy_batch_write_at: BATCH_S },
  });
}

function accountsAt(url: string, masterKey: string): Accounts {
  const api = apiAt(url, { authorization: `Bearer ${masterKey}` });
  return {
    async createKey({ name, quota }) {
      const made = await api.ask("POST", "/key/generate", {
        key_alias: name,
        ...(quota === undefined ? {} : { max_budget: quota }),
      });
      const secret = textAt(made, "key");
      return { id: secret, secret };
    },
    async spentBy({ id }) {
      return numberAt(await api.ask("GET", `/key/info?key=${id}`), "info.spend");
    },
    async callsOf({ id }) {
      const logs = await api.ask("GET", `/spend/logs?api_key=${id}`);
      return Array.isArray(logs) ? logs.length : 0;
    },
  };
}
