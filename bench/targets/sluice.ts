import { existsSync, mkdirSync, writeFileSync } from "node:fs";

import { MODEL } from "../payload.ts";
import { POSTGRES } from "#test/services/postgres.ts";
import { startService, type Service, type ServiceProgram } from "#test/services/service.ts";
import {
  freePort,
  onBun,
  startTarget,
  type Missing,
  type Refusal,
  type Site,
  type Target,
  type Variant,
} from "./target.ts";

export const KEY = "sk-sluice-bench-bootstrap-key-0123456789";

/** The gateway as an operator runs it: authentication, ledger and journal on disk, nothing off. */
export async function openSluice(site: Site, variant: Variant): Promise<Target> {
  return await startSluice("sluice", START, site, variant, READY, { title: "Sluice" });
}

/** The same on a PostgreSQL of its own, which writes as durably as its defaults say. */
export function openSluicePostgres(site: Site, variant: Variant): Promise<Target | Missing> {
  return openOnPostgres(site, variant, "sluice-pg", "Sluice, PostgreSQL");
}

/** The built executable, as in the container image: without a module record for each source file. */
export async function openExecutable(site: Site, variant: Variant): Promise<Target | Missing> {
  const program = `${site.root}/dist/sluice`;
  if (!existsSync(program)) {
    return { missing: "The executable is not built, so it is not measured: run `npm run build`." };
  }
  const options = { title: "Sluice, executable", program };
  return await startSluice("sluice-exe", ["start"], site, variant, READY, options);
}

/** Two processes of one gateway on one port. */
export function openTwoProcesses(site: Site, variant: Variant): Promise<Target | Missing> {
  const two = { ...variant, env: { ...variant.env, SLUICE_WORKERS: "2" } };
  return openOnPostgres(site, two, "sluice-pg-2", "Sluice, PostgreSQL, 2 processes");
}

async function openOnPostgres(
  site: Site,
  variant: Variant,
  id: string,
  title: string,
): Promise<Target | Missing> {
  if (POSTGRES.find() === undefined) {
    return { missing: "PostgreSQL is not installed, so Sluice is not measured on it." };
  }
  const database = await startService(DURABLE_POSTGRES);
  try {
    const options = { title, database };
    const target = await startSluice(id, START, site, variant, READY, options);
    return {
      ...target,
      async [Symbol.asyncDispose]() {
        await target[Symbol.asyncDispose]();
        await database[Symbol.asyncDispose]();
      },
    };
  } catch (cause) {
    await database[Symbol.asyncDispose]();
    throw cause;
  }
}

const START = ["src/main.ts", "start"];
const READY = { path: "/readyz", ok: true };

/** The tests' server does not wait for the disk; this one does. */
const DURABLE_POSTGRES: ServiceProgram = {
  ...POSTGRES,
  find: () => POSTGRES.find(),
  serve: (folder, port) =>
    POSTGRES.serve(folder, port).map((each) =>
      each.replace(/^(fsync|full_page_writes)=off$/, "$1=on"),
    ),
};

interface StartOptions {
  readonly port?: number;
  readonly title?: string;
  /** An executable that has the runtime in it, instead of this runtime. */
  readonly program?: string;
  /** PostgreSQL instead of SQLite. */
  readonly database?: Pick<Service, "url" | "pid">;
}

/** Starts a program that reads the gateway's configuration; it gets its port by the environment. */
export async function startSluice(
  id: string,
  args: readonly string[],
  { root, folder: parent, upstreamPort }: Site,
  variant: Variant,
  ready: { readonly path: string; readonly ok: boolean },
  { port = freePort(), title = id, program, database }: StartOptions = {},
): Promise<Target> {
  const folder = `${parent}/${id}`;
  mkdirSync(folder);
  writeFileSync(`${folder}/sluice.yaml`, sluiceConfig(upstreamPort, variant));
  const onRuntime = onBun(args, variant);
  const command = program === undefined ? onRuntime.command : [program, ...args];
  const headers = { authorization: `Bearer ${KEY}` };
  return startTarget(
    {
      id,
      title,
      port,
      headers,
      speaksMessages: true,
      freePath: "/livez",
      refusals: REFUSALS,
      ...(database === undefined
        ? { databasePath: `${folder}/data/sluice.db` }
        : { databasePid: database.pid }),
    },
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
        BUN_JSC_numberOfGCMarkers: "1",
        ...(database === undefined ? {} : { DATABASE_URL: database.url }),
        ...onRuntime.env,
      },
    },
    ready,
  );
}

function sluiceConfig(upstreamPort: number, { callsAtOnce, refuses }: Variant): string {
  return `
channels:
  - name: bench
    provider: openai-compatible
    base_url: http://127.0.0.1:${upstreamPort}/v1
    api_key: sk-upstream-bench
    models: [${MODEL}]
${refuses === true ? busyChannel(upstreamPort) : ""}
models:
  ${MODEL}: { input: 0.15, output: 0.60 }
  ${BUSY_MODEL}: { input: 0.15, output: 0.60 }
${refuses === true ? REFUSED_KEYS : ""}
${callsAtOnce === undefined ? "" : raisedLimits(callsAtOnce)}
`;
}

/** What a call takes besides its channel's place is raised as well. */
function raisedLimits(calls: number): string {
  const most = 2 * calls;
  return `limits: { in_flight: ${most}, channel_in_flight: ${most}, ledger_queue: ${most} }`;
}

const POOR_KEY = "sk-sluice-bench-key-without-quota-0123456789";
const SLOW_KEY = "sk-sluice-bench-key-with-one-call-a-minute-0123";
const WRONG_KEY = "sk-sluice-bench-key-that-nobody-made-0123456789";
const BUSY_MODEL = "bench-model-of-a-busy-channel";
/** At its limit after one call, so that calls have no channel left. */
const busyChannel = (upstreamPort: number): string => `
  - name: busy
    provider: openai-compatible
    base_url: http://127.0.0.1:${upstreamPort}/v1
    api_key: sk-upstream-bench
    models: [${BUSY_MODEL}]
    limits: { rpm: 1 }`;
const REFUSED_KEYS = `
keys:
  - { name: poor, key: ${POOR_KEY}, models: ["*"], quota: 0 }
  - { name: slow, key: ${SLOW_KEY}, models: ["*"], limits: { rpm: 1 } }`;

const REFUSALS: readonly Refusal[] = [
  { status: 401, headers: { authorization: `Bearer ${WRONG_KEY}` } },
  { status: 402, headers: { authorization: `Bearer ${POOR_KEY}` } },
  { status: 404, model: "a-model-that-nobody-serves" },
  { status: 429, headers: { authorization: `Bearer ${SLOW_KEY}` } },
  { status: 503, model: BUSY_MODEL },
];
