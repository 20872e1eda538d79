import type { Cell } from "./run.ts";

/** A line for each kind of refusal, and the count of those that are the vendors'. */
export function sweepReport(cells: readonly Cell[]): string {
  const vendors = cells.filter((cell) => cell.isRefusedByVendor);
  const ours = cells.filter(
    ({ status, isRefusedByVendor }) => status !== 200 && !isRefusedByVendor,
  );
  return [
    ...kindsOf(vendors, "vendor"),
    ...kindsOf(ours, "gateway"),
    `${cells.length} requests, ${ours.length} refused by the gateway`,
    `${vendors.length} refused by vendors`,
  ].join("\n");
}

function kindsOf(cells: readonly Cell[], by: string): readonly string[] {
  const kinds = new Map<string, Cell[]>();
  for (const cell of cells) {
    const kind = `${cell.setting} | ${cell.caller} -> ${cell.target} | ${cell.message}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), cell]);
  }
  return [...kinds].map(([kind, all]) => {
    const models = [...new Set(all.map(({ model }) => model))];
    const shown = models.slice(0, 4).join(", ") + (models.length > 4 ? ", …" : "");
    return `${by} | ${String(all.length).padStart(4)} | ${kind} | ${shown}`;
  });
}
