import { locale } from "../../app/language.ts";

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
const STEP = 1_000;

/** 340 kB */
export function bytes(size: number | null): string {
  if (size === null) return "–";
  const at = Math.min(UNITS.length - 1, size < 1 ? 0 : Math.floor(Math.log(size) / Math.log(STEP)));
  return new Intl.NumberFormat(locale(), {
    style: "unit",
    unit: UNITS[at] ?? "byte",
    unitDisplay: at === 0 ? "long" : "short",
    maximumFractionDigits: 1,
  }).format(size / STEP ** at);
}
