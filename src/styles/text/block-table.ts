import type { Block, BlockKinds } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import { textOf } from "#lib/values.ts";
import {
  memberReports,
  type MemberReport,
  type MemberTable,
  type Reporting,
} from "./member-table.ts";

type Kind = keyof BlockKinds;

/** A kind of block that is written, with a row for each member. */
export interface WrittenBlock<One extends Block, At, Written> {
  readonly members: MemberTable<One, At>;
  /** Whether it has a place; if not, it is left out and reported. Absent: everywhere. */
  readonly fits?: (block: One, at: At) => boolean;
  readonly build: (block: One, at: At) => Written | undefined;
}

/** A kind of block that the upstream has no place for. It is left out and reported. */
interface LostBlock<One extends Block, At> {
  /** `by kind`, or the name that the report shows. */
  readonly lost: string;
  /** What is reported besides. */
  readonly members?: MemberTable<One, At>;
}

/** A kind of block that is not written here and not reported, and the reason. */
interface BlockElsewhere {
  readonly elsewhere: string;
}

type BlockRow<One extends Block, At, Written> =
  | WrittenBlock<One, At, Written>
  | LostBlock<One, At>
  | BlockElsewhere;

/**
 * How an upstream interface treats each kind of block in one place. A kind
 * without a row does not compile, so no block can be dropped in silence.
 */
type BlockTable<At, Written> = {
  readonly [Each in Kind]: BlockRow<BlockKinds[Each], At, Written>;
};

/** Which kinds of blocks have a place, before any is written. */
type PlaceTable<At> = {
  readonly [Each in Kind]: true | ((block: BlockKinds[Each], at: At) => boolean);
};

/** Writes blocks by the rows of a table. */
interface BlockWriter<At, Written> {
  /** Reports a block without a place. */
  hasPlace(block: Block, at: At): boolean;
  /** Reports the block's losses; `undefined` if nothing is written. */
  write(block: Block, at: At): Written | undefined;
  /** The same for blocks whose members were reported before, and that have a place. */
  build(block: Block, at: At): Written | undefined;
  /** Reports the losses of the blocks, member by member. */
  reportMembers(blocks: readonly Block[], at: At): void;
}

export function blockWriter<At extends Reporting, Written>(
  table: BlockTable<At, Written>,
): BlockWriter<At, Written> {
  const rows: Rows<At, Written> = {
    text: rowOf(table, "text"),
    refusal: rowOf(table, "refusal"),
    reasoning: rowOf(table, "reasoning"),
    tool_call: rowOf(table, "tool_call"),
    tool_result: rowOf(table, "tool_result"),
    image: rowOf(table, "image"),
    audio: rowOf(table, "audio"),
    video: rowOf(table, "video"),
    file: rowOf(table, "file"),
    other: rowOf(table, "other"),
  };
  const members = new Set(Object.values(rows).flatMap(({ byMember }) => [...byMember.keys()]));
  return {
    hasPlace: (block, at) => hasPlace(rows, block.type, block, at),
    write: (block, at) => write(rows, block.type, block, at),
    build: (block, at) => build(rows, block.type, block, at),
    reportMembers(blocks, at) {
      for (const member of members) {
        for (const block of blocks) reportMember(rows, block.type, block, member, at);
      }
    },
  };
}

/** Whether a block has a place; a block without a place is reported. */
export function placeFinder<At extends Reporting>(
  table: PlaceTable<At>,
): (block: Block, at: At) => boolean {
  return (block, at) => {
    const fits = fitsIn(table, block.type, block, at);
    if (!fits) reportBlock(block, at.report);
    return fits;
  };
}

function fitsIn<Each extends Kind, At>(
  table: PlaceTable<At>,
  kind: Each,
  block: BlockKinds[Each],
  at: At,
): boolean {
  const row: true | ((block: BlockKinds[Each], at: At) => boolean) = table[kind];
  return row === true || row(block, at);
}

/** A row as it is used for each block. */
interface Row<One extends Block, At, Written> {
  readonly lostAs: string | undefined;
  readonly fits: ((block: One, at: At) => boolean) | undefined;
  readonly build: (block: One, at: At) => Written | undefined;
  readonly byMember: ReadonlyMap<string, MemberReport<One, At>>;
  readonly reports: readonly MemberReport<One, At>[];
}

type Rows<At, Written> = { readonly [Each in Kind]: Row<BlockKinds[Each], At, Written> };

function rowOf<Each extends Kind, At extends Reporting, Written>(
  table: BlockTable<At, Written>,
  kind: Each,
): Row<BlockKinds[Each], At, Written> {
  const row: BlockRow<BlockKinds[Each], At, Written> = table[kind];
  if (!("build" in row)) {
    const lostAs = "lost" in row && row.lost !== BY_KIND ? row.lost : undefined;
    const fits = "lost" in row ? () => false : undefined;
    const members = "lost" in row ? row.members : undefined;
    const byMember =
      members === undefined
        ? new Map<string, MemberReport<BlockKinds[Each], At>>()
        : memberReports(members);
    const reports = [...byMember.values()];
    return { lostAs, fits, build: () => undefined, byMember, reports };
  }
  const byMember = memberReports(row.members);
  const { fits, build: buildOne } = row;
  const reports = [...byMember.values()];
  return { lostAs: undefined, fits, build: buildOne, byMember, reports };
}

/** Reports a lost block under the name of its kind. */
export const BY_KIND = "by kind";

function hasPlace<Each extends Kind, At extends Reporting, Written>(
  rows: Rows<At, Written>,
  kind: Each,
  block: BlockKinds[Each],
  at: At,
): boolean {
  const { fits, lostAs } = rows[kind];
  if (fits === undefined || fits(block, at)) return true;
  reportBlock(block, at.report, lostAs);
  return false;
}

function write<Each extends Kind, At extends Reporting, Written>(
  rows: Rows<At, Written>,
  kind: Each,
  block: BlockKinds[Each],
  at: At,
): Written | undefined {
  const row: Row<BlockKinds[Each], At, Written> = rows[kind];
  for (const report of row.reports) report(block, at);
  return hasPlace(rows, kind, block, at) ? row.build(block, at) : undefined;
}

function build<Each extends Kind, At, Written>(
  rows: Rows<At, Written>,
  kind: Each,
  block: BlockKinds[Each],
  at: At,
): Written | undefined {
  return rows[kind].build(block, at);
}

function reportMember<Each extends Kind, At, Written>(
  rows: Rows<At, Written>,
  kind: Each,
  block: BlockKinds[Each],
  member: string,
  at: At,
): void {
  rows[kind].byMember.get(member)?.(block, at);
}

/** Reasoning has one name, wherever it is lost. Content of one style has the name of its type there. */
function reportBlock(block: Block, report: LossReport, as?: string): void {
  if (block.type === "reasoning") report.lose("reasoning");
  else report.lose(as ?? nameOf(block), block);
}

function nameOf(block: Block): string {
  if (block.type !== "other") return `messages.${block.type}`;
  return `messages.${textOf(block.data["type"]) ?? "content"}`;
}

/** Rows of members that are treated alike in many tables. */
export const LOST_CACHE = { lost: "cache_control" } as const;
export const LOST_DETAIL = {
  lost: "messages.detail",
  isPlaced: true,
  // `auto` is every vendor's default.
  unless: (detail: string) => detail === "auto",
} as const;
export const AS_READ = {
  unreported: "it says how the caller wrote the block, whose meaning the other members have",
} as const;
