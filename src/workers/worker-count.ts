import type { Workers } from "#core/workers.ts";

interface WorkerCount {
  readonly count: number;
  /** Why more processes than one were asked for and one runs, for the operator. */
  readonly reason?: string;
}

interface Machine {
  readonly hasPostgres: boolean;
  readonly cores: number;
  readonly platform: string;
}

/** How many processes serve the port. */
export function countWorkers(
  workers: Workers,
  { hasPostgres, cores, platform }: Machine,
): WorkerCount {
  const count = workers === "auto" ? cores : workers;
  if (count === 1) return { count };
  const reason = unsharedReason(hasPostgres, platform);
  if (reason === undefined) return { count };
  return {
    count: 1,
    reason: `One process instead of ${count} (SLUICE_WORKERS=${workers}): ${reason}`,
  };
}

function unsharedReason(hasPostgres: boolean, platform: string): string | undefined {
  if (!hasPostgres) {
    return "SQLite belongs to a single process. Set DATABASE_URL to a PostgreSQL database.";
  }
  // Other systems give all connections to one of the processes.
  if (platform !== "linux") return "only Linux distributes the connections of a shared port.";
  return undefined;
}
