import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { query } from "#test/scratch-database.ts";
import { openCutter } from "#test/storage/contract-cutter.ts";
import { POSTGRES } from "./postgres.ts";
import { startService, type Service, type ServiceProgram } from "./service.ts";

const IN_SYNC_WITHIN_MS = 30_000;

/** A primary and its standby, behind one address. */
interface PostgresPair extends AsyncDisposable {
  readonly url: string;
  /**
   * A standby follows the primary synchronously for a while, then the primary breaks down, and the
   * standby takes its place.
   */
  failOver(meanwhile: () => Promise<void>): Promise<void>;
}

/** A primary that ships its log. */
const PRIMARY: ServiceProgram = {
  ...POSTGRES,
  serve: (folder, port) => [
    ...POSTGRES.serve(folder, port),
    "-c",
    "wal_level=replica",
    "-c",
    "max_wal_senders=4",
  ],
};

/** A copy of the primary that follows it. */
function standbyOf(primary: string): ServiceProgram {
  const { hostname, port } = new URL(primary);
  return {
    ...PRIMARY,
    prepare: (folder) => [
      [
        join(dirname(POSTGRES.find() ?? ""), "pg_basebackup"),
        `--pgdata=${join(folder, "data")}`,
        `--host=${hostname}`,
        `--port=${port}`,
        "--username=postgres",
        "--write-recovery-conf",
        "--checkpoint=fast",
      ],
    ],
  };
}

export async function startPostgresPair(): Promise<PostgresPair> {
  await using opened = new AsyncDisposableStack();
  let primary = opened.use(await startService(PRIMARY));
  const address = opened.use(await openCutter(primary.url));
  const held = opened.move();
  return {
    url: address.through(primary.url),
    async failOver(meanwhile) {
      const standby = held.use(await followedBy(primary));
      await meanwhile();
      await crash(primary);
      await query(standby.url, "select pg_promote()");
      address.redirect(standby.url);
      primary = standby;
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** From here on, no transaction of the primary is acknowledged before the standby has it. */
async function followedBy(primary: Service): Promise<Service> {
  const standby = await startService(standbyOf(primary.url));
  await query(primary.url, "alter system set synchronous_standby_names = '*'");
  await query(primary.url, "select pg_reload_conf()");
  const until = performance.now() + IN_SYNC_WITHIN_MS;
  for (;;) {
    const synchronous = await query(
      primary.url,
      "select 1 from pg_stat_replication where sync_state in ('sync', 'quorum')",
    );
    if (synchronous.length > 0) return standby;
    if (performance.now() > until) throw new Error("The standby is not in sync.");
    await sleep(30);
  }
}

/** All its processes end at once, as with the machine. */
async function crash({ pid }: Service): Promise<void> {
  process.kill(pid, "SIGQUIT");
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await sleep(10);
  }
}
