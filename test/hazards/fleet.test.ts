import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { KEY, simulatedChannel } from "#test/harness.ts";
import { startProgram, type Program } from "#test/program.ts";
import { areCountersReachable, COUNTERS } from "#test/scratch-counters.ts";
import { isPostgresReachable, openScratchDatabase, query } from "#test/scratch-database.ts";
import { IS_LONG, random, SEED, times } from "#test/seed.ts";
import { verifyShared } from "#test/shared-books.ts";
import { openCutter } from "#test/storage/contract-cutter.ts";
import { summarize } from "#test/streams.ts";
import { waitFor } from "#test/wait.ts";

const CAPPED = "capped-key-of-the-fleet-0123456789";
/** Calls that the quota of the capped key pays. */
const ALLOWED = 25;
const CALLERS = 6;
const SECRET = `secret of this fleet ${crypto.randomUUID()}`;
/** An instance that stands still for longer counts as ended; docs/scaling.md names the bound. */
const ABANDONED_AFTER_MS = 30_000;
/** Holds of an instance that was killed are closed by another after its heartbeat is overdue. */
const CLOSED_WITHIN_MS = 150_000;
const WHOLE = "Reply with exactly: pong";
const STREAM = "Count to 20 [[fault:slow between_ms=5]]";

interface Instance extends AsyncDisposable {
  readonly program: Program;
  /** Ways to PostgreSQL and to Valkey that can be cut. */
  readonly database: Awaited<ReturnType<typeof openCutter>>;
  readonly counters: Awaited<ReturnType<typeof openCutter>>;
}

/** What a caller knows of a call that arrived whole. */
interface Arrived {
  readonly id: string;
  readonly kind: Kind;
  readonly text: string;
  readonly isReplay: boolean;
  readonly durationMs: number;
}

type Kind = "whole" | "stream" | "capped";

describe.if((isPostgresReachable && areCountersReachable) || process.env["CI"] !== undefined)(
  "instances on one PostgreSQL and one Valkey",
  () => {
    test(
      "lose, double and overspend nothing while some are killed, stopped and cut off",
      async () => {
        const draw = random(SEED);
        await using sandbox = await startSandbox();
        await using database = await openScratchDatabase();
        const folder = mkdtempSync(join(tmpdir(), "sluice-fleet-"));
        const config = join(folder, "sluice.yaml");
        const writeConfig = (quota: string): void =>
          writeFileSync(
            config,
            `channels:\n${simulatedChannel("sim", sandbox.url, "models: [gpt-4o-mini]")}
keys:\n  - { name: capped, key: ${CAPPED}, models: ["*"], quota: "${quota}" }`,
          );
        writeConfig("1");
        await using stack = new AsyncDisposableStack();
        stack.defer(() => rmSync(folder, { recursive: true, force: true }));
        const start = async (number: number): Promise<Instance> => {
          const dataDir = join(folder, String(number));
          mkdirSync(dataDir, { recursive: true });
          const ways = {
            database: await openCutter(database.url),
            counters: await openCutter(COUNTERS),
          };
          const program = await startProgram({
            SLUICE_CONFIG: config,
            SLUICE_DATA_DIR: dataDir,
            SLUICE_BOOTSTRAP_KEY: KEY,
            SLUICE_SECRET: SECRET,
            DATABASE_URL: ways.database.through(database.url),
            REDIS_URL: ways.counters.through(COUNTERS),
            SLUICE_LOG_LEVEL: "fatal",
          });
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

        // What a call reserves and costs, as the ledger says.
        const first = await start(0);
        const whole = await priceOf(first, database.url, "whole");
        const stream = await priceOf(first, database.url, "stream");
        await first[Symbol.asyncDispose]();
        writeConfig(((whole.reserved + (ALLOWED - 1) * whole.cost) / 1e9).toFixed(9));

        const instances: Instance[] = [];
        for (let number = 0; number < times(2, 8); number++) instances.push(await start(number));
        stack.defer(async () => {
          for (const each of instances) await each[Symbol.asyncDispose]();
        });
        const pick = (): Instance => {
          const found = instances[Math.floor(draw() * instances.length)];
          if (found === undefined) throw new Error("There is no instance.");
          return found;
        };

        const arrived: Arrived[] = [];
        const load = { isOver: false };
        const callers = Array.from({ length: CALLERS }, async (_, caller) => {
          for (let number = 0; !load.isOver; number++) {
            const kind = KINDS[(caller + number) % KINDS.length] ?? "whole";
            // Each key is used twice, the second time on any instance.
            const again = `${caller}-${number >> 1}`;
            const call = await callOnce(
              pick().program.url,
              kind,
              kind === "whole" ? again : undefined,
            );
            if (call === undefined) await Bun.sleep(20);
            else arrived.push(call);
          }
        });

        for (let round = 0; round < times(4, 200); round++) {
          const at = Math.floor(draw() * instances.length);
          const hurt = instances[at] ?? pick();
          await FAULTS[round % FAULTS.length]?.(hurt, async () => {
            instances[at] = await start(at);
          });
          const before = arrived.length;
          await waitFor(() => arrived.length > before + CALLERS, 60_000);
        }
        load.isOver = true;
        await Promise.all(callers);

        await waitFor(async () => {
          const [open] = await query<{ count: string }>(database.url, "select count(*) from holds");
          return Number(open?.count) === 0;
        }, CLOSED_WITHIN_MS);

        expect(await verifyShared(database.url)).toEqual([]);
        const charges = await chargesOf(database.url);
        const prices = { whole: whole.cost, capped: whole.cost, stream: stream.cost };
        const wrong = arrived.filter(({ id, kind, isReplay, durationMs }) => {
          const charge = charges.get(id) ?? 0;
          if (isReplay) return charges.has(id);
          // Another instance may have closed it, with what was noted of it until then.
          if (durationMs > ABANDONED_AFTER_MS) return charge > prices[kind];
          return charge !== prices[kind];
        });
        expect(wrong).toEqual([]);
        expect(arrived.filter(({ isReplay }) => isReplay).length).toBeGreaterThan(0);
        expect(arrived.filter(({ kind }) => kind === "capped").length).toBeWithin(1, ALLOWED + 1);
      },
      IS_LONG ? 3_600_000 : 300_000,
    );
  },
);

const KINDS: readonly Kind[] = ["whole", "whole", "stream", "capped"];

type Fault = (hurt: Instance, replace: () => Promise<void>) => Promise<void>;

/** Each in turn; the instance works again afterwards. */
const FAULTS: readonly Fault[] = [
  async ({ program, ...ways }, replace) => {
    await program.end("SIGKILL");
    await ways.database[Symbol.asyncDispose]();
    await ways.counters[Symbol.asyncDispose]();
    await replace();
  },
  // In the long form longer than the time after which others close its holds.
  async ({ program }) => {
    program.child.kill("SIGSTOP");
    await Bun.sleep(IS_LONG ? 35_000 : 1_500);
    program.child.kill("SIGCONT");
  },
  async ({ database }) => {
    database.cut();
    await Bun.sleep(1_500);
    database.mend();
  },
  async ({ counters }) => {
    counters.cut();
    await Bun.sleep(1_500);
    counters.mend();
  },
];

/** Undefined if the call was refused or cut. */
async function callOnce(url: string, kind: Kind, again?: string): Promise<Arrived | undefined> {
  const isStream = kind === "stream";
  const key = kind === "capped" ? CAPPED : KEY;
  const startedAt = performance.now();
  try {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...(again === undefined ? {} : { "idempotency-key": again }),
      },
      body: JSON.stringify({
        model: "gpt-4o-mini",
        stream: isStream,
        messages: [{ role: "user", content: isStream ? STREAM : WHOLE }],
      }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await answer.text();
    const isWhole = isStream ? summarize(text).isDone : text.endsWith("}");
    if (answer.status !== 200 || !isWhole) return undefined;
    const id = answer.headers.get("x-request-id") ?? "";
    return {
      id,
      kind,
      text,
      isReplay: answer.headers.has("idempotent-replayed"),
      durationMs: performance.now() - startedAt,
    };
  } catch {
    return undefined;
  }
}

/** What a call reserves and costs, in nano-dollars. */
async function priceOf(
  { program }: Instance,
  databaseUrl: string,
  kind: Kind,
): Promise<{ readonly reserved: number; readonly cost: number }> {
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

async function chargesOf(databaseUrl: string): Promise<ReadonlyMap<string, number>> {
  const entries = await query<{ call_id: string; spent_delta: string }>(
    databaseUrl,
    "select call_id, spent_delta from ledger where kind = 'settle'",
  );
  return new Map(entries.map((each) => [each.call_id, Number(each.spent_delta)]));
}
