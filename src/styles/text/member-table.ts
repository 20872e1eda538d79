import type { Block, Extra, Message } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";

/** The part of a context that the frames of all tables need. */
export interface Reporting {
  readonly report: LossReport;
}

type Part = Block | Message;

interface LostMember<Value, Owner, At> {
  /** The name that the report shows. */
  readonly lost: string;
  /** The report names the place of the block or message. */
  readonly isPlaced?: true;
  /** Values that are written, or that change nothing. */
  readonly unless?: (value: Value, owner: Owner, at: At) => boolean;
}

/** Data of styles, by style: data of another style is lost, or refused if it is essential. */
interface ForeignData {
  readonly foreignTo: string;
}

/** A member that is left out without a report, and the reason. */
interface UnreportedMember {
  readonly unreported: string;
}

type MemberRow<Value, Owner, At> =
  | "written"
  | LostMember<Value, Owner, At>
  | (Value extends Extra ? ForeignData : never)
  | UnreportedMember;

/**
 * The treatment of each member of a block or a message. A member without a row
 * does not compile, so no member can be dropped in silence.
 */
export type MemberTable<Owner extends Part, At> = {
  readonly [Member in Exclude<keyof Owner, "type">]-?: MemberRow<
    NonNullable<Owner[Member]>,
    Owner,
    At
  >;
};

/** Reports the losses of one member. */
export type MemberReport<Owner, At> = (owner: Owner, at: At) => void;

/** The members that may be lost, in the order of their rows. */
export function memberReports<Owner extends Part, At extends Reporting>(
  table: MemberTable<Owner, At>,
): ReadonlyMap<string, MemberReport<Owner, At>> {
  const reports = new Map<string, MemberReport<Owner, At>>();
  for (const member of membersIn(table)) {
    const report = reportOf(table, member);
    if (report !== undefined) reports.set(String(member), report);
  }
  return reports;
}

/** Reports the losses of a message or a block, by the rows of its table. */
export function memberReporter<Owner extends Part, At extends Reporting>(
  table: MemberTable<Owner, At>,
): MemberReport<Owner, At> {
  const reports = [...memberReports(table).values()];
  return (owner, at) => {
    for (const report of reports) report(owner, at);
  };
}

function membersIn<Owner extends Part, At>(
  table: MemberTable<Owner, At>,
): readonly (keyof MemberTable<Owner, At>)[] {
  return Object.keys(table).filter((name): name is string & keyof typeof table => name in table);
}

function reportOf<Owner extends Part, At extends Reporting>(
  table: MemberTable<Owner, At>,
  member: keyof MemberTable<Owner, At>,
): MemberReport<Owner, At> | undefined {
  const row: MemberRow<NonNullable<Owner[typeof member]>, Owner, At> = table[member];
  if (row === "written" || "unreported" in row) return undefined;
  if ("foreignTo" in row) {
    const { foreignTo: style } = row;
    return (owner, { report }) => {
      if (owner.extra !== undefined) report.loseForeign(owner.extra, style, "messages.", owner);
    };
  }
  const { lost, isPlaced, unless } = row;
  return (owner, at) => {
    const value = owner[member];
    if (value === undefined || value === null) return;
    if (unless?.(value, owner, at) === true) return;
    at.report.lose(lost, isPlaced === true ? owner : undefined);
  };
}
