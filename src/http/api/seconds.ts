/** Unix ms as the management API writes them. */
export function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
