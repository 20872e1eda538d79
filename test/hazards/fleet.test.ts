import { describe, expect, test } from "bun:test";
import { startSandbox } from "@sluice/sandbox/server.ts";
import {
  countOpenHolds,
  openFleet,
  postOnce,
  readAnswer,
  startLoad,
  wronglyCharged,
  type Arrived,
  type Instance,
} from "#test/fleet.ts";
import { areCountersReachable, COUNTERS } from "#test/scratch-counters.ts";
import { isPostgresReachable, openScratchDatabase, query } from "#test/scratch-database.ts";
import { IS_LONG, random, SEED, times } from "#test/seed.ts";
import { verifyShared } from "#test/shared-books.ts";
import { waitFor } from "#test/wait.ts";

/** Calls that the quota of the capped key pays. */
const ALLOWED = 25;
const CALLS_BETWEEN_FAULTS = 6;
/** An instance that stands still for longer counts as ended. */
const LEASE = "2s";
const CLOSED_WITHIN_MS = 60_000;
const MAX_TRIES = 10;

describe.if((isPostgresReachable && areCountersReachable) || process.env["CI"] !== undefined)(
  "instances on one PostgreSQL and one Valkey",
  () => {
    test(
      "lose, double and overspend nothing while some are killed, stopped and cut off",
      async () => {
        const draw = random(SEED);
        await using sandbox = await startSandbox();
        await using database = await openScratchDatabase();
        await using fleet = await openFleet({
          sandbox,
          databaseUrl: database.url,
          countersUrl: COUNTERS,
          size: times(2, 8),
          allowed: ALLOWED,
          env: { SLUICE_LEASE_MS: LEASE, SLUICE_CHECKPOINT_MS: "50ms" },
        });
        const { instances, prices } = fleet;
        const indexOfAny = (): number => Math.floor(draw() * instances.length);
        const instanceAt = (index: number): Instance => {
          const found = instances[index];
          if (found === undefined) throw new Error("There is no instance.");
          return found;
        };
        const load = startLoad(() => instanceAt(indexOfAny()).program);
        const { arrived } = load;

        for (let round = 0; round < times(4, 200); round++) {
          const at = indexOfAny();
          const hurt = instanceAt(at);
          await FAULTS[round % FAULTS.length]?.(hurt, {
            databaseUrl: database.url,
            arrived,
            replace: async () => {
              instances[at] = await fleet.start(at);
            },
          });
          const before = arrived.length;
          await waitFor(() => arrived.length > before + CALLS_BETWEEN_FAULTS, 180_000);
        }
        await load.end();

        await waitFor(async () => (await countOpenHolds(database.url)) === 0, CLOSED_WITHIN_MS);

        expect(await verifyShared(database.url)).toEqual([]);
        expect(await wronglyCharged(database.url, arrived, prices)).toEqual([]);
        expect(arrived.filter(({ isReplay }) => isReplay).length).toBeGreaterThan(0);
        expect(arrived.filter(({ kind }) => kind === "capped").length).toBeWithin(1, ALLOWED + 1);
        expect(arrived.filter(({ kind }) => kind === "long").length).toBeGreaterThan(0);
      },
      IS_LONG ? 3_600_000 : 300_000,
    );
  },
);

interface Surroundings {
  readonly databaseUrl: string;
  readonly arrived: Arrived[];
  replace(): Promise<void>;
}

type Fault = (hurt: Instance, around: Surroundings) => Promise<void>;

/** Each in turn; the instance works again afterwards. */
const FAULTS: readonly Fault[] = [
  async ({ program, ...ways }, { replace }) => {
    await program.end("SIGKILL");
    await ways.database[Symbol.asyncDispose]();
    await ways.counters[Symbol.asyncDispose]();
    await replace();
  },
  standStill,
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

/**
 * The instance stands still in the midst of a stream until another one has closed its hold, and
 * then delivers the rest. On a busy machine the stream may end before: then again.
 */
async function standStill({ program }: Instance, around: Surroundings): Promise<void> {
  const { databaseUrl, arrived } = around;
  const find = (table: string, column: string): Promise<unknown[]> =>
    query(databaseUrl, `select 1 from ${table} where ${column}`);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const answer = await postOnce(program.url, "long");
    const id = answer.headers.get("x-request-id") ?? "";
    program.child.kill("SIGSTOP");
    try {
      const isClosed = async () => (await find("holds", `call_id = '${id}'`)).length === 0;
      await waitFor(isClosed, CLOSED_WITHIN_MS);
    } finally {
      program.child.kill("SIGCONT");
    }
    const call = await readAnswer(answer, "long");
    if (call === undefined) continue;
    arrived.push(call);
    if ((await find("ledger", `op_id = '${id}:correct'`)).length === 1) return;
  }
  throw new Error("Another instance never closed the hold of a stream.");
}
