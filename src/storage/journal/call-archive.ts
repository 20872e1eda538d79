import type { Selectable } from "kysely";
import { z } from "zod";
import type { CallArchive } from "#core/call-archive.ts";
import type { JournalEntry } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import { nanoUsd } from "#core/money.ts";
import type { JsonObject } from "#lib/json.ts";
import { toCallRecord, writeList, type CallsTable } from "../tables/calls.ts";
import {
  callStatement,
  pageStatement,
  rowsStatement,
  type ArchiveKey,
  type ArchiveStatement,
} from "./clickhouse-search.ts";

type Select = (
  statement: string,
  values: ArchiveStatement["values"],
) => Promise<readonly JsonObject[]>;

/** Reads the table that the export fills. */
export function createCallArchive(select: Select): CallArchive {
  const rowsOf = async ({ text, values }: ArchiveStatement): Promise<readonly ArchivedRow[]> =>
    (await select(text, values)).map((row) => parseRow(archivedRow, row));

  return {
    async search(search) {
      const { limit } = search;
      const { text, values } = pageStatement({ ...search, limit: limit + 1 });
      const found = (await select(text, values)).map((row) => parseRow(pageRow, row));
      const page = found.slice(0, limit);
      const next = found.length > limit ? page.at(-1)?.seq : undefined;
      if (page.length === 0) return { entries: [], next };
      const latest = new Map<string, JournalEntry>();
      // In the order of their numbers, so that the last row of a call is its latest.
      for (const row of await rowsOf(rowsStatement(page.map(keyOf))))
        latest.set(row.id, entryOf(row));
      const entries = page
        .map(({ id, seq }) => ({ seq, entry: latest.get(id) }))
        // A call that was corrected later has its place there.
        .filter(({ seq, entry }) => entry?.seq === seq)
        .flatMap(({ entry }) => entry ?? []);
      return { entries, next };
    },

    async find(id, scope) {
      const row = (await rowsOf(callStatement(id, scope))).at(-1);
      return row && entryOf(row);
    },
  };
}

const whole = z.coerce.number().pipe(z.int());
const wholeOrNull = z.union([z.null(), whole]);
const textOrNull = z.string().nullable();

const pageRow = z.object({ id: z.string(), seq: whole, user_id: whole, at_ms: whole });

/** Numbers of 64 bits are texts. Values of a closed set are checked when they are read. */
const archivedRow = pageRow.extend({
  key_id: whole,
  team_id: wholeOrNull,
  group_id: wholeOrNull,
  model: z.string(),
  upstream_model: textOrNull,
  channel: textOrNull,
  provider: textOrNull,
  style: z.string(),
  endpoint: z.custom<CallsTable["endpoint"]>(isTextOrNull),
  is_stream: z.boolean(),
  outcome: z.custom<CallsTable["outcome"]>((value) => typeof value === "string"),
  fault: z.custom<CallsTable["fault"]>(isTextOrNull),
  input_tokens: whole,
  cached_input_tokens: whole,
  cache_write_tokens: whole,
  audio_input_tokens: whole,
  image_input_tokens: whole,
  output_tokens: whole,
  reasoning_tokens: whole,
  audio_output_tokens: whole,
  image_output_tokens: whole,
  images: whole,
  reference_images: whole,
  media_ms: whole,
  characters: whole,
  searches: whole,
  is_estimated: z.boolean(),
  cost_nano_usd: whole,
  is_unpriced: z.boolean(),
  first_byte_ms: wholeOrNull,
  duration_ms: whole,
  session_id: textOrNull,
  agent_id: textOrNull,
  parent_agent_id: textOrNull,
  tags: z.string(),
  attempts: z.string(),
  lost: z.string(),
  failed_channels: z.string(),
  long_cache_write_tokens: wholeOrNull,
  grade: textOrNull,
  rates: textOrNull,
  refused_by: textOrNull,
});

type ArchivedRow = z.infer<typeof archivedRow>;

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}

function parseRow<T>(schema: z.ZodType<T>, row: JsonObject): T {
  const { success, data, error } = schema.safeParse(row);
  if (success) return data;
  throw new GatewayError(
    "unavailable",
    "A row of ClickHouse's table sluice_calls is not in the form of this version.",
    { cause: error },
  );
}

function keyOf({ id, user_id: userId, at_ms: at }: z.infer<typeof pageRow>): ArchiveKey {
  return { id, userId, at };
}

/** The row as the database had it. */
function entryOf(row: ArchivedRow): JournalEntry {
  const { at_ms: at, is_stream, is_estimated, is_unpriced, cost_nano_usd, ...same } = row;
  const tags = lists.parse(JSON.parse(row.tags));
  const stored: Selectable<CallsTable> = {
    ...same,
    at,
    is_stream: Number(is_stream),
    is_estimated: Number(is_estimated),
    is_unpriced: Number(is_unpriced),
    cost: nanoUsd(cost_nano_usd),
    tags: tags.length === 0 ? null : writeList(tags),
    failed_channels: writeList(lists.parse(JSON.parse(row.failed_channels))),
  };
  return { seq: row.seq, call: toCallRecord(stored) };
}

const lists = z.array(z.string());
