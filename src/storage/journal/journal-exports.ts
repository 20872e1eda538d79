import { sql, type Kysely, type RawBuilder } from "kysely";
import type { ExportRange, JournalExports, RangeRule } from "#core/journal-export.ts";
import { isObject, parseJson } from "#lib/json.ts";
import type { Tables } from "../tables.ts";
import { toCallRecord } from "../tables/calls.ts";
import { HOUR_MS } from "../tables/usage-hours.ts";
import { addTeamsOfTasks } from "./teams-of-tasks.ts";

/** Longer than a range takes; a gateway that was killed is replaced after it. */
const LEASE_MS = 120_000;
/** Most calls of an hour are in the journal within this time after it. */
const WAIT_MS = 60_000;

interface ExportDeps {
  readonly db: Kysely<Tables>;
  readonly instance: string;
  sharedNow(): RawBuilder<number>;
  /** No call with a number up to this one can still appear. */
  findCallsEnd(): Promise<number | undefined>;
}

interface Progress {
  /** The last number that the target has. */
  readonly done: number;
  /** A range that was begun and not finished. */
  readonly planned?: ExportRange;
  readonly instance: string;
  /** End of the instance's lease by the database's clock, Unix ms. */
  readonly until: number;
}

const NO_PROGRESS: Progress = { done: 0, instance: "", until: 0 };

/** The progress of a target is one row in `meta`, which is replaced only as it was read. */
export function createJournalExports(deps: ExportDeps): JournalExports {
  const { db, instance, sharedNow } = deps;
  return {
    async next(target, rule) {
      const [text, now] = await readProgress(target);
      const progress = text === undefined ? NO_PROGRESS : toProgress(text);
      if (progress.instance !== instance && progress.until > now) return undefined;
      const range = progress.planned ?? (await plan(progress.done, rule, now));
      if (range === undefined) return undefined;
      // Usually done when calls are indexed, which may be later.
      if (progress.planned === undefined) await addTeamsOfTasks(db, range.first - 1, range.last);
      const { done } = progress;
      const isOurs = await replace(target, text, {
        done,
        planned: range,
        instance,
        until: now + LEASE_MS,
      });
      return isOurs ? range : undefined;
    },

    async read({ last }, after, limit) {
      const rows = await db
        .selectFrom("calls")
        .selectAll()
        .where("seq", ">", after)
        .where("seq", "<=", last)
        .orderBy("seq")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ seq: row.seq, call: toCallRecord(row) }));
    },

    async finish(target, { last }) {
      const [text, now] = await readProgress(target);
      if (text === undefined) return;
      const { done, planned } = toProgress(text);
      // Another gateway may have taken over meanwhile, and have gone on.
      if (done >= last || planned?.last !== last) return;
      await replace(target, text, { done: last, instance, until: now + LEASE_MS });
    },

    async lag(target) {
      const [text, now] = await readProgress(target);
      const { done } = text === undefined ? NO_PROGRESS : toProgress(text);
      const next = await firstAfter(done);
      if (next === undefined) return { calls: 0, ms: 0 };
      const { last } = await db
        .selectFrom("calls")
        .select(({ fn }) => fn.max("seq").as("last"))
        .executeTakeFirstOrThrow();
      return { calls: last - next.seq + 1, ms: Math.max(0, now - next.end) };
    },
  };

  async function firstAfter(done: number): Promise<{ seq: number; end: number } | undefined> {
    return await db
      .selectFrom("calls")
      .select(["seq", END.as("end")])
      .where("seq", ">", done)
      .orderBy("seq")
      .limit(1)
      .executeTakeFirst();
  }

  async function readProgress(target: string): Promise<[text: string | undefined, now: number]> {
    const row = await db
      .selectFrom("meta")
      .select("value")
      .where("key", "=", keyOf(target))
      .executeTakeFirst();
    const { now } = await db
      .selectNoFrom(sql<number>`${sharedNow()}`.as("now"))
      .executeTakeFirstOrThrow();
    return [row?.value, Number(now)];
  }

  /** False if another gateway was faster. */
  async function replace(
    target: string,
    earlier: string | undefined,
    progress: Progress,
  ): Promise<boolean> {
    const key = keyOf(target);
    const value = JSON.stringify(progress);
    if (earlier === undefined) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("meta")
        .values({ key, value })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    }
    const { numUpdatedRows } = await db
      .updateTable("meta")
      .set({ value })
      .where("key", "=", key)
      .where("value", "=", earlier)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  async function plan(
    done: number,
    { maxNumbers, isByHour }: RangeRule,
    now: number,
  ): Promise<ExportRange | undefined> {
    const end = await deps.findCallsEnd();
    if (end === undefined || end <= done) return undefined;
    const head = await firstAfter(done);
    if (head === undefined || head.seq > end) return undefined;
    const hour = head.end - (head.end % HOUR_MS);
    const most = Math.min(end, head.seq - 1 + maxNumbers);
    const whole = { first: head.seq, last: most, hour };
    if (!isByHour) return whole;
    const isEnded = now >= hour + HOUR_MS + WAIT_MS;
    if (!isEnded && most === end) return undefined;
    const later = await firstOf(hour + HOUR_MS, head.seq, most);
    return later === undefined ? whole : { ...whole, last: later - 1 };
  }

  /** The first call of the numbers that ended at this time or later. */
  async function firstOf(time: number, after: number, until: number): Promise<number | undefined> {
    const row = await db
      .selectFrom("calls")
      .select("seq")
      .where("seq", ">", after)
      .where("seq", "<=", until)
      .where(END, ">=", time)
      .orderBy("seq")
      .limit(1)
      .executeTakeFirst();
    return row?.seq;
  }
}

const END = sql<number>`at + duration_ms`;

/** The last number that the target has. */
export async function readExportedTo(db: Kysely<Tables>, target: string): Promise<number> {
  const row = await db
    .selectFrom("meta")
    .select("value")
    .where("key", "=", keyOf(target))
    .executeTakeFirst();
  return row === undefined ? 0 : toProgress(row.value).done;
}

function keyOf(target: string): string {
  return `journal_export:${target}`;
}

function toProgress(text: string): Progress {
  const value = parseJson(text);
  if (!isObject(value)) return NO_PROGRESS;
  const { done, planned, instance, until } = value;
  return {
    done: Number(done),
    instance: typeof instance === "string" ? instance : "",
    until: Number(until),
    ...(isObject(planned) ? { planned: planned as unknown as ExportRange } : {}),
  };
}
