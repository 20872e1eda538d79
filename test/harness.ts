import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, loadConfig } from "#config.ts";
import type { Clock } from "#lib/clock.ts";
import { openLog, type Logger } from "#lib/log.ts";
import { PROVIDERS } from "#providers/index.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { answerFaults } from "#test/answer-faults.ts";
import { streamFaults } from "#test/grammar/index.ts";
import { LOW_PASSWORD_COST } from "#test/password-cost.ts";
import { placeSchema } from "#test/sqlite-template.ts";
import { type Gateway, openGateway } from "../src/gateway.ts";

/** The key that every test gateway knows. */
export const KEY = "test-key-0123456789abcdefghij";

export interface TestGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly url: string;
  readonly dataDir: string;
  /** POSTs JSON with the key; `body` may be text, to send what is not JSON. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

export interface TestGatewayOptions {
  /** The text of a sluice.yaml. */
  readonly yaml: string;
  readonly env?: Readonly<Record<string, string>>;
  /** An earlier gateway's folder, to start again on; otherwise a new one, removed at the end. */
  readonly dataDir?: string;
  readonly clock?: Clock;
  /** Whether passwords are hashed as slowly as outside of tests. */
  readonly hasSlowPasswords?: boolean;
  /** Silent where there is none. */
  readonly log?: Logger;
}

/**
 * The whole gateway, in this process, on a free port and a fresh database. Every
 * stream that it writes is held against the grammar of its style, and every answer
 * of the management API against the schema of its route.
 */
export async function openTestGateway(options: TestGatewayOptions): Promise<TestGateway> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "sluice-test-"));
  if (options.dataDir === undefined) await placeSchema(dataDir);
  const faults: string[] = [];
  const gateway = await openGateway({
    config: readConfig(options.yaml, {
      SLUICE_DATA_DIR: dataDir,
      SLUICE_BOOTSTRAP_KEY: KEY,
      ...options.env,
    }),
    env: {},
    ...(options.hasSlowPasswords === true ? {} : { passwordCost: LOW_PASSWORD_COST }),
    log: options.log ?? openLog("silent"),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    onStream: (style, text) => faults.push(...streamFaults(style, text)),
    onAnswer: (answer) => faults.push(...answerFaults(answer)),
  });
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  return {
    gateway,
    url: gateway.url,
    dataDir,
    post: (path, body, more) =>
      fetch(gateway.url + path, {
        method: "POST",
        headers: { ...headers, ...more },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    get: (path, more) => fetch(gateway.url + path, { headers: { ...headers, ...more } }),
    async [Symbol.asyncDispose]() {
      await gateway.close();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
      // Whatever a test was about: what its clients were sent must be what they understand.
      if (faults.length > 0) throw new Error(`Answers with faults: ${faults.join("; ")}`);
    },
  };
}

/** A gateway in front of the simulator. */
export async function openSimulated(
  more: {
    readonly yaml?: string;
    readonly channel?: string;
    readonly provider?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly clock?: Clock;
  } = {},
): Promise<TestGateway & { readonly sandbox: Sandbox }> {
  const sandbox = await startSandbox();
  const yaml = `channels:\n${simulatedChannel("sim", sandbox.url, more.channel, more.provider)}\n${more.yaml ?? ""}`;
  const opened = await openTestGateway({
    yaml,
    ...(more.env === undefined ? {} : { env: more.env }),
    ...(more.clock === undefined ? {} : { clock: more.clock }),
  });
  return {
    ...opened,
    sandbox,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await sandbox.stop();
    },
  };
}

/** A channel to the simulator, as an item of the file's list. `extra`: more lines of it. */
export function simulatedChannel(
  name: string,
  sandboxUrl: string,
  extra = "",
  provider = "openai",
): string {
  const lines = [
    `name: ${name}`,
    `provider: ${provider}`,
    `base_url: ${sandboxUrl}/openai/v1`,
    "api_key: sk-upstream-secret-of-the-operator",
    ...extra.split("\n").filter((line) => line !== ""),
  ];
  return lines.map((line, i) => `${i === 0 ? "  - " : "    "}${line}`).join("\n");
}

/** A gateway with only the settings that are given: no key, and the data where `env` says. */
export async function openConfigured(
  yaml: string,
  env: Readonly<Record<string, string>>,
): Promise<Gateway> {
  return await openGateway({
    config: readConfig(yaml, env),
    env: {},
    passwordCost: LOW_PASSWORD_COST,
    log: openLog("silent"),
  });
}

function readConfig(yaml: string, env: Readonly<Record<string, string>>): Config {
  return loadConfig({
    env: {
      SLUICE_CONFIG: "sluice.yaml",
      SLUICE_PORT: "0",
      SLUICE_LIMIT_DRAIN_MS: "2000",
      SLUICE_LIMIT_DRAIN_DELAY_MS: "0",
      ...env,
    },
    readFile: () => new TextEncoder().encode(yaml),
    knownProviders: PROVIDERS.map(({ id, needsKey }) => ({ id, needsKey })),
  });
}
