import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KEY, simulatedChannel } from "#test/harness.ts";
import { startProgram, type Program } from "#test/program.ts";
import { query } from "#test/scratch-database.ts";
import { openCutter } from "#test/storage/contract-cutter.ts";
import { summarize } from "#test/streams.ts";

const CAPPED = "capped-key-of-the-fleet-0123456789";
const CALLERS = 6;
const PAUSE_MS = 40;
const WITH_SHIFTED_CLOCK = [
  process.execPath,
  "--preload",
  "./test/shift-clock.ts",
  "src/main.ts",
  "start",
];
const WHOLE = "Reply with exactly: pong";
const STREAM = "Count to 20 [[fault:slow between_ms=5]]";
/** Long enough to stop an instance in the midst of it. */
const LONG_STREAM = "Count to 20 [[fault:slow between_ms=90]]";

export interface Instance extends AsyncDisposable {
  readonly program: Program;
  /** Ways to PostgreSQL and to Valkey that can be cut. */
  readonly database: Awaited<ReturnType<typeof openCutter>>;
  readonly counters: Awaited<ReturnType<typeof openCutter>>;
}

/** What a caller knows of a call that arrived whole. */
export interface Arrived {
  readonly id: string;
  readonly kind: Kind;
  readonly isReplay: boolean;
}

type Kind = "whole" | "stream" | "long" | "capped";

/** What a call reserves and costs, in nano-dollars. */
interface Price {
  readonly reserved: number;
  readonly cost: number;
}

interface Fleet extends AsyncDisposable {
  readonly instances: Instance[];
  /** What each kind of call costs, as the ledger said of one. */
  readonly prices: Readonly<Record<"whole" | "stream" | "long", Price>>;
  start(number: number): Promise<Instance>;
}

interface FleetOptions {
  readonly sandbox: { readonly url: string };
  readonly databaseUrl: string;
  readonly countersUrl: string;
  readonly size: number;
  /** Calls that the quota of the capped key pays. */
  readonly allowed: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Every second instance has a clock that is ahead by so much. */
  readonly clockAheadMs?: number;
}

/** Several instances, each a process of its own, on one PostgreSQL and one Valkey. */
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { sandbox, databaseUrl, countersUrl, size, allowed, env } = options;
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "sluice-fleet-"));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const secret = `secret of this fleet ${crypto.randomUUID()}`;
  const config = join(folder, "sluice.yaml");
  const writeConfig = (quota: string): void =>
    writeFileSync(
      config,
      `channels:\n${simulatedChannel("sim", sandbox.url, "models: [gpt-4o-mini]")}
keys:\n  - { name: capped, key: ${CAPPED}, models: ["*"], quota: "${quota}" }`,
    );
  const start = async (number: number): Promise<Instance> => {
    const dataDir = join(folder, String(number));
    mkdirSync(dataDir, { recursive: true });
    const ways = {
      database: await openCutter(databaseUrl),
      counters: await openCutter(countersUrl),
    };
    const isAhead = options.clockAheadMs !== undefined && number % 2 === 1;
    const program = await startProgram(
      {
        SLUICE_CONFIG: config,
        SLUICE_DATA_DIR: dataDir,
        SLUICE_BOOTSTRAP_KEY: KEY,
        SLUICE_SECRET: secret,
        DATABASE_URL: ways.database.through(databaseUrl),
        REDIS_URL: ways.counters.through(countersUrl),
        SLUICE_LOG_LEVEL: "fatal",
        ...(isAhead ? { TEST_CLOCK_AHEAD_MS: String(options.clockAheadMs) } : {}),
        ...env,
      },
      isAhead ? WITH_SHIFTED_CLOCK : undefined,
    );
    return {
      program,
      ...ways,
      async [Symbol.asyncDispose]() {
        await program[Symbol.asyncDispose]();
        await ways.database[Symbol.asyncDispose]();
        await ways.counters[Symbol.asyncDispose]();
      },
    };
  };

  writeConfig("1");
  const first = await start(0);
  const prices = {
    whole: await priceOf(first, databaseUrl, "whole"),
    stream: await priceOf(first, databaseUrl, "stream"),
    long: await priceOf(first, databaseUrl, "long"),
  };
  await first[Symbol.asyncDispose]();
  const { reserved, cost } = prices.whole;
  writeConfig(((reserved + (allowed - 1) * cost) / 1e9).toFixed(9));

  const instances: Instance[] = [];
  opened.defer(async () => {
    for (const each of instances) await each[Symbol.asyncDispose]();
  });
  for (let number = 0; number < size; number++) instances.push(await start(number));
  const held = opened.move();
  return { instances, prices, start, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

const KINDS: readonly Kind[] = ["whole", "whole", "stream", "capped"];

interface Load {
  readonly arrived: Arrived[];
  /** Calls that were refused or cut. */
  readonly failed: number;
  end(): Promise<void>;
}

/** Callers that call until the end, each key of idempotency twice and on any instance. */
export function startLoad(pick: () => Pick<Program, "url">): Load {
  const arrived: Arrived[] = [];
  let failed = 0;
  let isOver = false;
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let number = 0; !isOver; number++) {
      const kind = KINDS[(caller + number) % KINDS.length] ?? "whole";
      const again = kind === "whole" ? `${caller}-${number >> 1}` : undefined;
      const call = await callOnce(pick().url, kind, again);
      if (call === undefined) failed++;
      else arrived.push(call);
      // Without it the load takes all cores for as long as the test waits for anything.
      await Bun.sleep(PAUSE_MS);
    }
  });
  return {
    arrived,
    get failed() {
      return failed;
    },
    async end() {
      isOver = true;
      await Promise.all(callers);
    },
  };
}

export async function postOnce(url: string, kind: Kind, again?: string): Promise<Response> {
  return await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    // A proxy that is told of other instances closes connections that are idle.
    keepalive: false,
    headers: {
      authorization: `Bearer ${kind === "capped" ? CAPPED : KEY}`,
      "content-type": "application/json",
      ...(again === undefined ? {} : { "idempotency-key": again }),
    },
    body: JSON.stringify({
      model: "gpt-4o-mini",
      stream: isStream(kind),
      messages: [{ role: "user", content: PROMPTS[kind] }],
    }),
    signal: AbortSignal.timeout(60_000),
  });
}

const PROMPTS: Readonly<Record<Kind, string>> = {
  whole: WHOLE,
  capped: WHOLE,
  stream: STREAM,
  long: LONG_STREAM,
};

function isStream(kind: Kind): boolean {
  return kind === "stream" || kind === "long";
}

/** Undefined if the call was refused or cut. */
export async function readAnswer(answer: Response, kind: Kind): Promise<Arrived | undefined> {
  const text = await answer.text();
  const isWhole = isStream(kind) ? summarize(text).isDone : text.endsWith("}");
  if (answer.status !== 200 || !isWhole) return undefined;
  const id = answer.headers.get("x-request-id") ?? "";
  return { id, kind, isReplay: answer.headers.has("idempotent-replayed") };
}

async function callOnce(url: string, kind: Kind, again?: string): Promise<Arrived | undefined> {
  try {
    return await readAnswer(await postOnce(url, kind, again), kind);
  } catch {
    return undefined;
  }
}

async function priceOf({ program }: Instance, databaseUrl: string, kind: Kind): Promise<Price> {
  const call = await callOnce(program.url, kind);
  if (call === undefined) throw new Error(`The first call (${kind}) was not answered.`);
  const entries = await query<{ kind: string; held_delta: string; spent_delta: string }>(
    databaseUrl,
    `select kind, held_delta, spent_delta from ledger where call_id = '${call.id}'`,
  );
  const entryOf = (kind: string) => entries.find((each) => each.kind === kind);
  return {
    reserved: Number(entryOf("hold")?.held_delta ?? 0),
    cost: Number(entryOf("settle")?.spent_delta),
  };
}

/** Calls that arrived whole and are not charged once, exactly. */
export async function wronglyCharged(
  databaseUrl: string,
  arrived: readonly Arrived[],
  { whole, stream, long }: Fleet["prices"],
): Promise<readonly unknown[]> {
  const entries = await query<{ call_id: string; charge: string }>(
    databaseUrl,
    `select call_id, sum(spent_delta) as charge from ledger
     where kind in ('settle', 'correct') group by call_id`,
  );
  const charges = new Map(entries.map((each) => [each.call_id, Number(each.charge)]));
  const prices = { whole: whole.cost, capped: whole.cost, stream: stream.cost, long: long.cost };
  return arrived.flatMap(({ id, kind, isReplay }) => {
    const charge = charges.get(id) ?? 0;
    return charge === (isReplay ? 0 : prices[kind]) ? [] : [{ id, kind, isReplay, charge }];
  });
}

export async function countOpenHolds(databaseUrl: string): Promise<number> {
  const [open] = await query<{ count: string }>(databaseUrl, "select count(*) from holds");
  return Number(open?.count);
}
