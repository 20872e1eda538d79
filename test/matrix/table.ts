import { CASES } from "./cases.ts";
import type { Cell } from "./run.ts";

/** One line for each pair of styles and way of answering, one column for each case. */
export function matrixTable(cells: readonly Cell[]): string {
  const names = Object.keys(CASES);
  const rows = new Map<string, Map<string, Cell>>();
  for (const cell of cells) {
    const label = `${cell.caller} -> ${cell.upstream}, ${cell.stream ? "stream" : "whole"}`;
    const row = rows.get(label) ?? new Map<string, Cell>();
    rows.set(label, row.set(cell.case, cell));
  }

  const width = Math.max(...[...rows.keys()].map((label) => label.length));
  const line = (label: string, columns: readonly string[]): string =>
    [label.padEnd(width), ...columns.map((text, at) => text.padEnd(names[at]?.length ?? 0))]
      .join("  ")
      .trimEnd();
  return [
    line("caller -> upstream", names),
    ...[...rows].map(([label, row]) =>
      line(
        label,
        names.map((name) => mark(row.get(name))),
      ),
    ),
  ].join("\n");
}

function mark(cell: Cell | undefined): string {
  if (cell === undefined) return "";
  if (cell.failure !== undefined) return "FAIL";
  return cell.lost.length === 0 ? "ok" : "ok*";
}

/** What the stars stand for, and what failed. */
export function matrixNotes(cells: readonly Cell[]): string {
  const lost = new Map<string, Set<string>>();
  for (const cell of cells) {
    for (const field of cell.lost) {
      const pairs = lost.get(field) ?? new Set<string>();
      lost.set(field, pairs.add(`${cell.caller} -> ${cell.upstream}`));
    }
  }
  const notes = [...lost].map(
    ([field, pairs]) => `* '${field}' is not carried, and said so: ${[...pairs].join("; ")}`,
  );
  const failures = cells
    .filter(({ failure }) => failure !== undefined)
    .map(
      (cell) =>
        `FAIL ${cell.caller} -> ${cell.upstream}, ${cell.stream ? "stream" : "whole"}, ${cell.case}: ${cell.failure}`,
    );
  return [...notes, ...failures].join("\n");
}
