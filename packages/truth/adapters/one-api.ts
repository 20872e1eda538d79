import type { Accounts, Adapter, Model, Prepared, Site } from "../gateway/adapter.ts";
import { apiAt, listAt, logIn, numberAt, textAt, valueAt, type Api } from "./http.ts";

/** Both count money in units of quota, and prices in ratios to a base of two US dollars for a million tokens. */
const UNITS_PER_USD = 500_000;
const BASE_PRICE = 2;
/** Type of channels that speak OpenAI's protocol. */
const OPENAI_CHANNEL = 1;
/** Type of log rows that are calls. */
const CALL_ROW = 2;
const ONE_API_PAGE = 10;

export const ONE_API: Adapter = {
  id: "one-api",
  title: "one-api",
  note: "Defaults of its documents with SQLite, or PostgreSQL by --database. Written from its sources of 2025; not run by its authors.",
  needs: "`one-api` on the PATH.",

  async prepare(site) {
    return {
      ...prepared(site, "one-api"),
      open: async (url) => {
        const api = apiAt(url, { cookie: await logIn(url, "/api/user/login", FIRST_LOGIN) });
        return {
          ...accountsAt(api, CREATED_KEYS, countPages),
          configure: configurer(api, site.models, asItIs),
        };
      },
    };
  },
};

export const NEW_API: Adapter = {
  id: "new-api",
  title: "new-api",
  note: "Batch updates as its compose file sets them, with SQLite, or PostgreSQL by --database. Written from its sources of 2026; not run by its authors.",
  needs: "`new-api` on the PATH.",

  async prepare(site) {
    const base = prepared(site, "new-api");
    return {
      ...base,
      env: { ...base.env, BATCH_UPDATE_ENABLED: "true" },
      open: async (url) => {
        await apiAt(url).ask("POST", "/api/setup", NEW_API_SETUP);
        const login = { username: NEW_API_SETUP.username, password: NEW_API_SETUP.password };
        const cookie = await logIn(url, "/api/user/login", login);
        // The first user of a new database.
        const api = apiAt(url, { cookie, "new-api-user": "1" });
        return {
          ...accountsAt(api, REVEALED_KEYS, countTotal),
          configure: configurer(api, site.models, singly),
        };
      },
    };
  },
};

const FIRST_LOGIN = { username: "root", password: "123456" };
const NEW_API_SETUP = {
  username: "root",
  password: "a-long-password",
  confirmPassword: "a-long-password",
  SelfUseModeEnabled: false,
  DemoSiteEnabled: false,
};

function prepared(
  { folder, port, silenceMs, program, database }: Site,
  name: string,
): Omit<Prepared, "open"> {
  return {
    command: [...(program ?? [name]), "--port", String(port), "--log-dir", folder],
    cwd: folder,
    env: {
      RELAY_TIMEOUT: String(silenceMs / 1000),
      STREAMING_TIMEOUT: String(silenceMs / 1000),
      ...(database === undefined ? {} : { SQL_DSN: database }),
    },
    readyPath: "/api/status",
    // Batch updates are written every five seconds.
    writeDelayMs: 12_000,
  };
}

/** A channel as the body of its creation. */
type ChannelBody = (channel: object) => object;
const asItIs: ChannelBody = (channel) => channel;
const singly: ChannelBody = (channel) => ({ mode: "single", channel });

function configurer(api: Api, models: readonly Model[], bodyOf: ChannelBody) {
  return async (): Promise<void> => {
    const ratios = models.map(({ name, prices }) => [name, prices.input / BASE_PRICE] as const);
    const factors = models.map(({ name, prices }) => [name, prices.output / prices.input] as const);
    for (const [key, entries] of [
      ["ModelRatio", ratios],
      ["CompletionRatio", factors],
      ["RetryTimes", undefined],
    ] as const) {
      const value = entries === undefined ? "2" : JSON.stringify(Object.fromEntries(entries));
      await api.ask("PUT", "/api/option/", { key, value });
    }
    for (const { name: model, channels } of models) {
      for (const [place, { name, address }] of channels.entries()) {
        const channel = {
          type: OPENAI_CHANNEL,
          name,
          key: "sk-truth-upstream",
          // The version's segment is added by the gateway.
          base_url: address.replace(/\/v1$/, ""),
          models: model,
          group: "default",
          priority: channels.length - place,
        };
        await api.ask("POST", "/api/channel/", bodyOf(channel));
      }
    }
  };
}

/** Id and secret of a key that was just created. */
type KeyOf = (api: Api, name: string, made: unknown) => Promise<{ id: string; secret: string }>;

/** one-api's answer contains the key. */
const CREATED_KEYS: KeyOf = async (_api, _name, made) => ({
  id: textAt(made, "data.id"),
  secret: `sk-${textAt(made, "data.key")}`,
});

/** new-api shows a key on a request of its own. */
const REVEALED_KEYS: KeyOf = async (api, name) => {
  const found = await api.ask("GET", `/api/token/search?keyword=${name}`);
  const id = textAt(listAt(found, "data.items")[0], "id");
  const key = textAt(await api.ask("POST", `/api/token/${id}/key`), "data.key");
  return { id, secret: key.startsWith("sk-") ? key : `sk-${key}` };
};

type CountRows = (api: Api, name: string) => Promise<number>;

const countPages: CountRows = async (api, name) => {
  for (let page = 0, count = 0; ; page += 1) {
    const found = await api.ask("GET", `/api/log/?type=${CALL_ROW}&token_name=${name}&p=${page}`);
    const rows = listAt(found, "data").length;
    count += rows;
    if (rows < ONE_API_PAGE) return count;
  }
};

const countTotal: CountRows = async (api, name) =>
  numberAt(
    await api.ask("GET", `/api/log/?type=${CALL_ROW}&token_name=${name}&p=1&page_size=1`),
    "data.total",
  );

function accountsAt(api: Api, keyOf: KeyOf, countRows: CountRows): Accounts {
  const names = new Map<string, string>();
  return {
    async createKey({ name, quota }) {
      const made = await api.ask("POST", "/api/token/", {
        name,
        expired_time: -1,
        unlimited_quota: quota === undefined,
        remain_quota: Math.round((quota ?? 0) * UNITS_PER_USD),
      });
      if (valueAt(made, "success") !== true)
        throw new Error(`No key was made: ${JSON.stringify(made)}`);
      const key = await keyOf(api, name, made);
      names.set(key.id, name);
      return key;
    },
    async spentBy({ id }) {
      return numberAt(await api.ask("GET", `/api/token/${id}`), "data.used_quota") / UNITS_PER_USD;
    },
    callsOf: async ({ id }) => await countRows(api, names.get(id) ?? ""),
  };
}
