import type { Cell } from "./run.ts";

/** A line for each agent, a column for each upstream; a star where something was not carried. */
export function agentsTable(cells: readonly Cell[]): string {
  const upstreams = [...new Set(cells.map(({ upstream }) => upstream))];
  const agents = [...new Set(cells.map(({ agent }) => agent))];
  const rows = agents.map((agent) => {
    const own = cells.filter((cell) => cell.agent === agent);
    const marks = upstreams.map((id) => mark(own.find(({ upstream }) => upstream === id)));
    return [agent, own[0]?.style ?? "", ...marks];
  });
  return aligned([["agent", "speaks", ...upstreams.map((id) => `on ${id}`)], ...rows]);
}

function mark(cell: Cell | undefined): string {
  if (cell === undefined) return "";
  if (!cell.isInstalled) return "not installed";
  if (cell.trouble !== undefined) return "FAIL";
  return cell.lost.length === 0 ? "ok" : "ok*";
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((text, at) => text.padEnd(widths?.[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** What the stars stand for, what is missing, and what happened where it failed. */
export function agentsNotes(cells: readonly Cell[]): string {
  const lost = placesBy(cells, ({ lost: fields }) => fields);
  const missing = placesBy(cells, (cell) => troubleOf(cell, !cell.isInstalled));
  const failed = placesBy(cells, (cell) => troubleOf(cell, cell.isInstalled));
  return [
    ...[...lost].map(([field, places]) => `* '${field}' is not carried, and said so: ${places}`),
    ...[...missing].map(([trouble, places]) => `NOT INSTALLED ${places}: ${trouble}`),
    ...[...failed].map(([trouble, places]) => `FAIL ${places}: ${trouble}`),
  ].join("\n");
}

function troubleOf({ trouble }: Cell, isWanted: boolean): readonly string[] {
  return isWanted && trouble !== undefined ? [trouble] : [];
}

/** "codex on chat, gemini; pi messages on chat", by what they have in common. */
function placesBy(
  cells: readonly Cell[],
  keysOf: (cell: Cell) => readonly string[],
): ReadonlyMap<string, string> {
  const found = new Map<string, Map<string, string[]>>();
  for (const cell of cells) {
    for (const key of keysOf(cell)) {
      const agents = found.get(key) ?? new Map<string, string[]>();
      agents.set(cell.agent, [...(agents.get(cell.agent) ?? []), cell.upstream]);
      found.set(key, agents);
    }
  }
  return new Map(
    [...found].map(([key, agents]) => [
      key,
      [...agents].map(([agent, upstreams]) => `${agent} on ${upstreams.join(", ")}`).join("; "),
    ]),
  );
}
