import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Accounts, Adapter, Model } from "../gateway/adapter.ts";
import { apiAt, numberAt, textAt, type Api } from "./http.ts";

/** A key's spending is that of its budget, so each key has one. */
const NO_LIMIT_USD = 1_000_000;

export const BIFROST: Adapter = {
  id: "bifrost",
  title: "Bifrost",
  note: "Defaults of its documents with SQLite; a channel is a custom provider, a second channel a fallback of the request. Written from its documents of autumn 2026; not run by its authors.",
  needs: "`npx @maximhq/bifrost`, or a program named by --program.",

  async prepare({ folder, port, models, silenceMs, program }) {
    writeFileSync(join(folder, "config.json"), configuration(models, silenceMs));
    return {
      command: [
        ...(program ?? ["npx", "-y", "@maximhq/bifrost"]),
        "-app-dir",
        folder,
        "-host",
        "127.0.0.1",
        "-port",
        String(port),
      ],
      readyPath: "/health",
      writeDelayMs: 15_000,
      requestOf: (name) => requestFor(models.find((each) => each.name === name)),
      open: async (url) => accountsAt(apiAt(url), models),
    };
  },
};

function configuration(models: readonly Model[], silenceMs: number): string {
  const providers = models.flatMap(({ channels }) =>
    channels.map(({ name, address }) => [
      name,
      {
        keys: [{ name, value: "sk-truth-upstream", models: ["*"], weight: 1 }],
        network_config: {
          // The version's segment is added by the gateway.
          base_url: address.replace(/\/v1$/, ""),
          default_request_timeout_in_seconds: silenceMs / 1000,
          max_retries: 0,
        },
        custom_provider_config: { base_provider_type: "openai" },
      },
    ]),
  );
  return JSON.stringify({
    client: { enable_logging: true, enforce_auth_on_inference: true },
    providers: Object.fromEntries(providers) as object,
    config_store: { enabled: true, type: "sqlite", config: { path: "config.db" } },
    logs_store: { enabled: true, type: "sqlite", config: { path: "logs.db" } },
  });
}

/** A model is named with its provider, and further channels are fallbacks of the request. */
function requestFor(model: Model | undefined): Readonly<Record<string, unknown>> {
  if (model === undefined) return {};
  const [first, ...others] = model.channels.map(({ name }) => `${name}/${model.name}`);
  return { model: first, ...(others.length === 0 ? {} : { fallbacks: others }) };
}

function accountsAt(api: Api, models: readonly Model[]): Accounts {
  return {
    async configure() {
      for (const { name, prices } of models) {
        await api.ask("POST", "/api/governance/pricing-overrides", {
          name,
          scope_kind: "global",
          match_type: "exact",
          pattern: name,
          request_types: ["chat_completion", "chat_completion_stream"],
          patch: {
            input_cost_per_token: prices.input / 1e6,
            output_cost_per_token: prices.output / 1e6,
          },
        });
      }
    },
    async createKey({ name, quota = NO_LIMIT_USD }) {
      const made = await api.ask("POST", "/api/governance/virtual-keys", {
        name,
        budget: { max_limit: quota, reset_duration: "1M" },
        provider_configs: models.flatMap(({ channels }) =>
          channels.map((each) => ({ provider: each.name, weight: 1, allowed_models: ["*"] })),
        ),
      });
      return { id: textAt(made, "virtual_key.id"), secret: textAt(made, "virtual_key.value") };
    },
    async spentBy({ id }) {
      const found = await api.ask("GET", `/api/governance/virtual-keys/${id}`);
      return numberAt(found, "virtual_key.budget.current_usage");
    },
    async callsOf({ id }) {
      const found = await api.ask("GET", `/api/logs?virtual_key_ids=${id}&limit=1`);
      return numberAt(found, "stats.total_requests");
    },
  };
}
