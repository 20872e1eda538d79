import {
  askWith,
  ended,
  openCallers,
  openInFront,
  openOthers,
} from "#test/hazards/large-images.ts";

/**
 * What ten calls with large pictures cost others: `bun bench/large-images.ts [bytes of each]`.
 * The large calls, the small ones and the gateway have a process each.
 */
const CALLS = 10;
const LARGE_BYTES = Number(process.argv[2] ?? 15_000_000);
const ROUNDS = 3;
/** As many as warm the runtime up, and make a p99. */
const ALONE = 2_000;

using large = await openCallers();
using small = await openOthers();
await using gateway = await openInFront(large, small);
let longestMs = 0;
let lastAt = performance.now();
const watching = setInterval(() => {
  const now = performance.now();
  longestMs = Math.max(longestMs, now - lastAt);
  lastAt = now;
}, 1);

await alone();
await askWith(1_000, CALLS, { gateway, large, small });
for (let round = 1; round <= ROUNDS; round++) {
  const without = await alone();
  longestMs = 0;
  const { small: times } = await askWith(LARGE_BYTES, CALLS, { gateway, large, small });
  print(`${CALLS} pictures of ${LARGE_BYTES} bytes: longest turn ${longestMs.toFixed(0)} ms`);
  print(`  alone: ${lineFor(without)}`);
  for (const phase of ["asking", "waiting", "answering"] as const) {
    const ratio = percentile(times[phase], 0.99) / percentile(without, 0.99);
    print(`  ${phase}: ${lineFor(times[phase])}, ${ratio.toFixed(1)} times`);
  }
}
clearInterval(watching);

async function alone(): Promise<readonly number[]> {
  small.tell({ do: "begin", url: gateway.url });
  return await ended(small, ALONE);
}

function lineFor(times: readonly number[]): string {
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  return `${times.length} small calls, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
