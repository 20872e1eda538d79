import { loginScriptsOn, type LoginScripts } from "#storage/counters/login-scripts.ts";
import { scriptsOn, type Scripts } from "#storage/counters/scripts.ts";

/** The Valkey or Redis that tests keep counters on, below a prefix of their own; `npm test` starts it. */
export const COUNTERS = process.env["TEST_REDIS_URL"] ?? "";

/** A connection of its own, so that a test can look past the limiter. */
async function openClient(): Promise<Bun.RedisClient> {
  const client = new Bun.RedisClient(COUNTERS, { connectionTimeout: 2_000, autoReconnect: false });
  await client.connect();
  return client;
}

export const areCountersReachable =
  COUNTERS !== "" &&
  (await openClient().then(
    (client) => {
      client.close();
      return true;
    },
    () => false,
  ));

export interface ScratchCounters extends AsyncDisposable {
  readonly prefix: string;
  /** Scripts that read a clock which stands still until it is moved. */
  readonly scripts: Scripts;
  readonly loginScripts: LoginScripts;
  pass(ms: number): Promise<void>;
  send(command: string, ...args: string[]): Promise<unknown>;
  /** Names of all keys below the prefix. */
  keys(): Promise<readonly string[]>;
}

const STARTS_AT = 1_800_000_000_000;

/** A prefix of one's own, and nothing left of it at the end. */
export async function openScratchCounters(
  prefix = `sluice-test-${crypto.randomUUID()}:`,
): Promise<ScratchCounters> {
  const client = await openClient();
  const clock = `${prefix}clock`;
  await client.set(clock, String(STARTS_AT));
  const status = `(function()
      local ms = tonumber(redis.call("GET", "${clock}"))
      return { math.floor(ms / 1000), (ms % 1000) * 1000 }
    end)()`;
  const keys = async (): Promise<string[]> => {
    const found: string[] = [];
    let cursor = "0";
    do {
      const page = await client.scan(cursor, "MATCH", `${prefix}*`, "COUNT", "1000");
      found.push(...page[1]);
      cursor = page[0];
    } while (cursor !== "0");
    return found;
  };
  return {
    prefix,
    scripts: scriptsOn(status),
    loginScripts: loginScriptsOn(status),
    pass: async (ms) => {
      await client.incrby(clock, ms);
    },
    send: (command, ...args) => client.send(command, args),
    keys,
    async [Symbol.asyncDispose]() {
      const left = await keys();
      if (left.length > 0) await client.del(...left);
      client.close();
    },
  };
}
