/** "2026-05-01 10:00:00.000", in the vendor's time zone. */
export function writtenTime(at: number): string {
  return new Date(at + CHINA_MS).toISOString().slice(0, -1).replace("T", " ");
}

/** "20260501100000", in that zone. */
export function readTime(text: string): number | undefined {
  const [, date, time] = /^(\d{8})(\d{6})$/.exec(text) ?? [];
  if (date === undefined || time === undefined) return undefined;
  const day = date.replace(/^(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3");
  const at = Date.parse(`${day}T${time.replace(/^(\d\d)(\d\d)(\d\d)$/, "$1:$2:$3")}Z`);
  return Number.isNaN(at) ? undefined : at - CHINA_MS;
}

const CHINA_MS = 8 * 3_600_000;
