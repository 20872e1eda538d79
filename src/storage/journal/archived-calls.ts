import { sql, type Kysely } from "kysely";
import type { CallArchive } from "#core/call-archive.ts";
import type { JournalEntry } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import type { Tables } from "../tables.ts";
import { databaseCalls, PRUNED_MARK, type CallPage, type CallSource } from "./calls.ts";
import { readExportedTo } from "./journal-exports.ts";
import type { Search } from "./search-calls.ts";
import { readWatermark } from "./watermark.ts";

/** Calls with lower numbers ended earlier, but for differences of clocks and slow writes. */
const ORDER_MS = 3_600_000;

/** `target`: the name of the export that fills the archive. */
interface ArchivedDeps {
  readonly db: Kysely<Tables>;
  readonly archive: CallArchive;
  readonly target: string;
}

/**
 * The calls of the database, continued by those of an archive. Calls up to one number, the seam,
 * come from the archive, and all others from the database: so none is found twice. Up to the seam
 * the archive has every call, and the database may have deleted some.
 */
export function archivedCalls({ db, archive, target }: ArchivedDeps): CallSource {
  const recent = databaseCalls(db);
  return {
    search: (search) => (search.isAscending ? earliestFirst(search) : latestFirst(search)),
    find: async (id, scope) => (await recent.find(id, scope)) ?? (await archive.find(id, scope)),
  };

  /** It only grows, unless the database is restored. */
  async function findSeam(): Promise<number> {
    const exportedTo = await readExportedTo(db, target);
    const { first } = await db
      .selectFrom("calls")
      .select(({ fn }) => fn.min("seq").as("first"))
      .executeTakeFirstOrThrow();
    // The type ignores that the table may be empty. Earlier versions wrote no mark.
    const prunedTo = Math.max((first ?? 1) - 1, await readWatermark(db, PRUNED_MARK));
    return Math.min(exportedTo, prunedTo);
  }

  async function latestFirst(search: Search): Promise<CallPage> {
    const { after = Infinity, limit } = search;
    const before = await findSeam();
    if (after - 1 <= before) return await searchArchive(search, before);
    const found = await recent.search(search);
    // Read afterwards: calls that were deleted during the search are not above it.
    const seam = await findSeam();
    const entries = found.entries.filter(({ seq }) => seq > seam);
    if (found.next !== undefined && found.next > seam) return { entries, next: found.next };
    if (!(await mayReach(search, seam))) return { entries, next: undefined };
    const rest = limit - entries.length;
    if (rest === 0) return { entries, next: seam + 1 };
    try {
      const older = await searchArchive({ ...search, limit: rest }, seam);
      return { entries: [...entries, ...older.entries], next: older.next };
    } catch (cause) {
      // The newest calls stay readable: the next page has the error.
      if (entries.length > 0 && isUnavailable(cause)) return { entries, next: seam + 1 };
      throw cause;
    }
  }

  async function earliestFirst(search: Search): Promise<CallPage> {
    const { after = 0, limit } = search;
    const seam = await findSeam();
    const isOld = after < seam && (await mayReach(search, seam));
    const older = isOld ? await searchArchive(search, seam) : EMPTY_PAGE;
    const rest = limit - older.entries.length;
    if (older.next !== undefined) return older;
    const start = Math.max(after, seam);
    if (rest === 0) return { entries: older.entries, next: start };
    const found = await recent.search({ ...search, after: start, limit: rest });
    // Calls that were deleted during the search are on the next page, from the archive.
    if ((await findSeam()) > start) return { entries: older.entries, next: start };
    return { entries: [...older.entries, ...found.entries], next: found.next };
  }

  async function searchArchive(search: Search, seam: number): Promise<CallPage> {
    const { after, isAscending } = search;
    const found = await archive.search({
      ...search,
      after: isAscending ? (after ?? 0) : 0,
      last: isAscending || after === undefined ? seam : Math.min(seam, after - 1),
    });
    return { entries: await withoutCorrected(db, found.entries), next: found.next };
  }

  /** False if all calls up to the seam ended before the time that is searched. */
  async function mayReach({ filter: { from } }: Search, seam: number): Promise<boolean> {
    if (seam === 0 || from === undefined) return seam > 0;
    const next = await db
      .selectFrom("calls")
      .select(sql<number>`at + duration_ms`.as("end"))
      .where("seq", ">", seam)
      .orderBy("seq")
      .limit(1)
      .executeTakeFirst();
    return next === undefined || from < next.end + ORDER_MS;
  }
}

const EMPTY_PAGE: CallPage = { entries: [], next: undefined };

/** A call may have a corrected record that is not exported yet: its place is there. */
async function withoutCorrected(
  db: Kysely<Tables>,
  entries: readonly JournalEntry[],
): Promise<readonly JournalEntry[]> {
  if (entries.length === 0) return entries;
  const ids = entries.map(({ call }) => call.id);
  const rows = await db.selectFrom("calls").select(["id", "seq"]).where("id", "in", ids).execute();
  const latest = new Map(rows.map(({ id, seq }) => [id, seq]));
  return entries.filter(({ seq, call }) => (latest.get(call.id) ?? seq) <= seq);
}

function isUnavailable(cause: unknown): boolean {
  return cause instanceof GatewayError && cause.code === "unavailable";
}
