import { describe, expect, test } from "bun:test";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { countOpenHolds, openFleet, startLoad, wronglyCharged } from "#test/fleet.ts";
import { IS_LONG, random, SEED, times } from "#test/seed.ts";
import { POSTGRES } from "#test/services/postgres.ts";
import { startPostgresPair } from "#test/services/postgres-pair.ts";
import { REDIS } from "#test/services/redis.ts";
import { startService } from "#test/services/service.ts";
import { query } from "#test/scratch-database.ts";
import { verifyShared } from "#test/shared-books.ts";
import { openCutter } from "#test/storage/contract-cutter.ts";
import { waitFor } from "#test/wait.ts";

/** Calls that the quota of the capped key pays. */
const ALLOWED = 25;
const CALLS_BETWEEN_FAULTS = 12;
const areInstalled = POSTGRES.find() !== undefined && REDIS.find() !== undefined;

describe.if(areInstalled || process.env["CI"] !== undefined)(
  "instances whose clocks are 30 s apart",
  () => {
    test(
      "lose and double nothing while PostgreSQL fails over to its standby and Valkey is restarted",
      async () => {
        const draw = random(SEED);
        await using sandbox = await startSandbox();
        await using database = await startPostgresPair();
        await using valkeys = new AsyncDisposableStack();
        let valkey = valkeys.use(await startService(REDIS));
        await using counters = await openCutter(valkey.url);
        await using fleet = await openFleet({
          sandbox,
          databaseUrl: database.url,
          countersUrl: counters.through(valkey.url),
          size: times(2, 4),
          allowed: ALLOWED,
          clockAheadMs: 30_000,
        });
        const load = startLoad(() => {
          const found = fleet.instances[Math.floor(draw() * fleet.instances.length)];
          if (found === undefined) throw new Error("There is no instance.");
          return found.program;
        });
        const whileItWorks = async (): Promise<void> => {
          const before = load.arrived.length;
          await waitFor(() => load.arrived.length > before + CALLS_BETWEEN_FAULTS, 60_000);
        };

        for (let round = 0; round < times(1, 10); round++) {
          await database.failOver(whileItWorks);
          await whileItWorks();
          process.kill(valkey.pid, "SIGKILL");
          await whileItWorks();
          valkey = valkeys.use(await startService(REDIS));
          counters.redirect(valkey.url);
          await whileItWorks();
        }
        await load.end();
        await waitFor(async () => (await countOpenHolds(database.url)) === 0, 60_000);

        const { arrived } = load;
        const [latest] = await query<{ at: string }>(
          database.url,
          "select max(at) as at from calls",
        );
        expect(Number(latest?.at)).toBeGreaterThan(Date.now());
        expect(await verifyShared(database.url)).toEqual([]);
        expect(await wronglyCharged(database.url, arrived, fleet.prices)).toEqual([]);
        expect(arrived.filter(({ isReplay }) => isReplay).length).toBeGreaterThan(0);
        expect(arrived.filter(({ kind }) => kind === "capped").length).toBeWithin(1, ALLOWED + 1);
      },
      IS_LONG ? 1_800_000 : 300_000,
    );
  },
);
