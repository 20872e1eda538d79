import type { Counted, Kind } from "./questions.ts";

/** What was counted of one vendor's questions of one kind. */
interface Row {
  readonly vendor: string;
  readonly kind: Kind;
  readonly questions: number;
  /** Share of those within 3 %, or 3 tokens where that is more, in per cent. */
  readonly within: number;
  /** By how many per cent the others and they are off; up to 3 tokens are nothing. */
  readonly medianPercent: number;
  readonly ninthDecilePercent: number;
}

const TOLERATED_TOKENS = 3;
const TOLERATED_SHARE = 0.03;

export function rowsOf(counted: readonly Counted[]): readonly Row[] {
  const groups = Map.groupBy(counted, ({ vendor, kind }) => `${vendor}: ${kind}`);
  const inOrder = [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return inOrder.flatMap(([, group]) => {
    const [first] = group;
    if (first === undefined) return [];
    const misses = group.map(percentOff).sort((a, b) => a - b);
    const { vendor, kind } = first;
    return [
      {
        vendor,
        kind,
        questions: group.length,
        within: Math.floor((100 * group.filter(isWithin).length) / group.length),
        medianPercent: misses[Math.floor(misses.length / 2)] ?? 0,
        ninthDecilePercent: misses[Math.ceil(misses.length * 0.9) - 1] ?? 0,
      },
    ];
  });
}

/** In Markdown, as the manual has it. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(({ vendor, kind, questions, within, ...percents }) =>
    [
      vendor,
      kind,
      questions,
      `${within} %`,
      percents.medianPercent.toFixed(1),
      percents.ninthDecilePercent.toFixed(1),
    ].join(" | "),
  );
  const head = "vendor | kind | questions | within | median % | 90th %";
  const rule = Array<string>(6).fill("---").join(" | ");
  return [head, rule, ...lines].map((line) => `| ${line} |\n`).join("");
}

function isWithin({ told, ours }: Counted): boolean {
  return Math.abs(ours - told) <= Math.max(TOLERATED_TOKENS, told * TOLERATED_SHARE);
}

function percentOff({ told, ours }: Counted): number {
  const off = Math.abs(ours - told);
  return off <= TOLERATED_TOKENS ? 0 : (100 * off) / told;
}
