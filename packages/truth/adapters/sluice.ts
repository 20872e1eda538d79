import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Accounts, Adapter, Model } from "../gateway/adapter.ts";
import { apiAt, listAt, logIn, numberAt, textAt, valueAt } from "./http.ts";

const LOGIN = { email: "truth@example.com", password: "a password of the measurement 1" };
const PAGE_SIZE = 100;

export const SLUICE: Adapter = {
  id: "sluice",
  title: "Sluice",
  note: "Defaults with SQLite; first byte and silence of upstreams limited by settings. Run with 0.1.0.",
  needs: "`npx sluice`, or a program named by --program. --database is a PostgreSQL URL.",

  async prepare({ folder, port, models, silenceMs, program, database }) {
    const path = join(folder, "sluice.yaml");
    writeFileSync(path, configuration(models));
    return {
      command: [...(program ?? ["npx", "sluice"]), "start"],
      env: {
        SLUICE_CONFIG: path,
        SLUICE_DATA_DIR: join(folder, "data"),
        SLUICE_HOST: "127.0.0.1",
        SLUICE_PORT: String(port),
        SLUICE_ADMIN_EMAIL: LOGIN.email,
        SLUICE_ADMIN_PASSWORD: LOGIN.password,
        SLUICE_LIMIT_FIRST_BYTE_MS: String(silenceMs),
        SLUICE_LIMIT_IDLE_MS: String(silenceMs),
        SLUICE_LIMIT_TOTAL_MS: String(2 * silenceMs),
        ...(database === undefined ? {} : { DATABASE_URL: database }),
      },
      readyPath: "/readyz",
      // Sums of usage are made in the background; money is written before an answer leaves.
      writeDelayMs: 1_000,
      open: openAccounts,
    };
  },
};

function configuration(models: readonly Model[]): string {
  const channels = models.flatMap(({ name: model, channels: own }) =>
    own.map(({ name, address }, place) => ({
      name,
      provider: "openai-compatible",
      base_url: address,
      api_key: "sk-truth-upstream",
      models: [model],
      priority: own.length - place,
    })),
  );
  // JSON is YAML.
  return JSON.stringify({
    channels,
    models: Object.fromEntries(models.map(({ name, prices }) => [name, prices])),
  });
}

async function openAccounts(url: string): Promise<Accounts> {
  const cookie = await logIn(url, "/api/user/login", LOGIN);
  const api = apiAt(url, { cookie, "sec-fetch-site": "same-origin" });
  return {
    async createKey({ name, quota }) {
      const made = await api.ask("POST", "/api/token", {
        name,
        ...(quota === undefined ? {} : { quota_usd: quota }),
      });
      return { id: textAt(made, "data.id"), secret: textAt(made, "data.key") };
    },
    async spentBy({ id }) {
      return numberAt(await api.ask("GET", `/api/token/${id}`), "data.used_usd");
    },
    async callsOf({ id }) {
      let count = 0;
      let before = "";
      do {
        const query = `token=${id}&page_size=${PAGE_SIZE}${before === "" ? "" : `&before=${before}`}`;
        const page = await api.ask("GET", `/api/log?${query}`);
        count += listAt(page, "data.items").length;
        const next = valueAt(page, "data.next");
        before = typeof next === "string" ? next : "";
      } while (before !== "");
      return count;
    },
  };
}
