import { sql, type Kysely } from "kysely";
import { CALL_COLUMNS } from "#storage/tables/calls.ts";
import { namesOf } from "#storage/tables/columns.ts";
import type { Tables } from "#storage/tables.ts";

/** The last calls of a filled journal ended at this time. */
export const FILLED_UNTIL = Date.UTC(2026, 10, 1);
/** Time between two calls. */
const STEP_MS = 200;
/** A slow server adds these within the timeout of its statements. */
const AT_ONCE = 10_000;

/**
 * Adds `rows` calls by the database itself, which takes microseconds a call. Their properties are
 * made of their numbers: 10 channels, one of them rare; 40 users; 120 keys; every 50th call failed.
 * Sessions have a hundred calls of one key.
 */
export async function fillJournal(
  db: Kysely<Tables>,
  rows: number,
  engine: "sqlite" | "postgres",
): Promise<void> {
  for (let from = 0; from < rows; from += AT_ONCE) {
    const count = Math.min(AT_ONCE, rows - from);
    const numbers =
      engine === "sqlite"
        ? sql`with recursive numbers(n) as (
            select ${sql.lit(from)} union all select n + 1 from numbers
            where n < ${sql.lit(from + count - 1)})`
        : sql`with numbers as (select generate_series(${sql.lit(from)}::bigint,
            ${sql.lit(from + count - 1)}::bigint) as n)`;
    const columns = namesOf(CALL_COLUMNS).filter((name) => VALUES[name] !== undefined);
    await sql`insert into calls (${sql.join(columns.map((name) => sql.ref(name)))})
      ${numbers} select ${sql.join(columns.map((name) => valueOf(name, rows, engine)))} from numbers`.execute(
      db,
    );
  }
}

function valueOf(name: keyof typeof VALUES, rows: number, engine: string) {
  const started = FILLED_UNTIL - rows * STEP_MS;
  return sql.raw(
    (VALUES[name] ?? "")
      .replaceAll("STARTED", String(started))
      .replaceAll("LINE", engine === "sqlite" ? "char(10)" : "chr(10)"),
  );
}

const FAILED = "n % 50 = 7";
const failed = (then: string, otherwise: string): string =>
  `case when ${FAILED} then ${then} else ${otherwise} end`;
/** A rare channel, and nine that share the rest. */
const CHANNEL = "case when n % 100003 = 11 then 'rare' else 'channel-' || (n * 7919 % 9) end";

const VALUES: Partial<Record<keyof typeof CALL_COLUMNS, string>> = {
  id: "'call-' || n",
  at: `STARTED + n * ${STEP_MS}`,
  user_id: "1 + n * 104729 % 40",
  key_id: "1 + n * 104729 % 120",
  model: "case when n % 70001 = 3 then 'model-rare' else 'model-' || (n * 31 % 12) end",
  upstream_model: "'upstream-' || (n * 31 % 12)",
  channel: failed("null", CHANNEL),
  provider: "'openai'",
  style: "case when n % 3 = 0 then 'messages' when n % 90001 = 1 then 'rerank' else 'chat' end",
  is_stream: "n % 2",
  outcome: failed("'failed'", "'completed'"),
  fault: failed("case when n % 100 = 7 then 'upstream_failed' else 'rate_limited' end", "null"),
  input_tokens: "n * 13 % 5000",
  cached_input_tokens: "0",
  cache_write_tokens: "0",
  audio_input_tokens: "0",
  output_tokens: "n * 17 % 900",
  reasoning_tokens: "0",
  audio_output_tokens: "0",
  is_estimated: "0",
  cost: "case when n % 200003 = 5 then 9000000000 else n * 19 % 1000000 end",
  first_byte_ms: "100 + n % 900",
  duration_ms: "case when n % 300007 = 9 then 900000 else 200 + n % 4000 end",
  attempts: `'[{"channel":"' || (${CHANNEL}) || '","credential":"…abcd","fault":' || (${failed(
    `'"upstream_failed"'`,
    "'null'",
  )}) || ',"status":200,"durationMs":100}]'`,
  lost: "'[]'",
  rates: `'{"input":2500000,"output":10000000}'`,
  session_id:
    "case when n % 5 = 0 then 'session-' || (1 + n * 104729 % 120) || '-' || (n / 12000) end",
  endpoint: "case when n % 90001 = 1 then 'rerank' else 'text' end",
  team_id: "case when n * 104729 % 40 < 10 then 1 + n * 104729 % 40 % 5 end",
  group_id: "1 + n * 104729 % 40 % 3",
  tags: "case when n % 4 = 0 then LINE || 'project=p' || (n / 4 % 300) || LINE end",
  failed_channels: failed(`LINE || (${CHANNEL}) || LINE`, "null"),
};
