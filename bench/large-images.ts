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
/** A machine's own network, and no network in between. */
const SPEEDS = { "1 Gbit/s": 125_000, loopback: Infinity };
const ROUNDS = 2;
/** As many as warm the runtime up, and make a p99. */
const ALONE = 2_000;

using large = await openCallers();
using small = await openOthers();
await using gateway = await openInFront(large, small);
let longestMs = 0;
/** Of this thread on a core: what others take of the machine is not the gateway's. */
let longestCpuMs = 0;
let lastAt = performance.now();
let lastCpu = cpuMs();
const watching = setInterval(() => {
  const now = performance.now();
  const cpu = cpuMs();
  longestMs = Math.max(longestMs, now - lastAt);
  longestCpuMs = Math.max(longestCpuMs, cpu - lastCpu);
  lastAt = now;
  lastCpu = cpu;
}, 1);

await alone();
await askWith({ pictureBytes: 1_000, calls: CALLS }, { gateway, large, small });
for (const [speed, bytesPerMs] of Object.entries(SPEEDS).flatMap((each) =>
  Array.from({ length: ROUNDS }, () => each),
)) {
  const without = await alone();
  longestMs = 0;
  longestCpuMs = 0;
  const load = { pictureBytes: LARGE_BYTES, calls: CALLS, bytesPerMs };
  const { small: times } = await askWith(load, { gateway, large, small });
  const what = `${CALLS} pictures of ${LARGE_BYTES} bytes over ${speed}`;
  print(`${what}: longest turn ${longestMs.toFixed(0)} ms, ${longestCpuMs.toFixed(0)} of CPU`);
  print(`  alone: ${lineFor(without)}`);
  for (const phase of ["asking", "waiting", "answering"] as const) {
    const ratio = percentile(times[phase], 0.99) / percentile(without, 0.99);
    print(`  ${phase}: ${lineFor(times[phase])}, ${ratio.toFixed(1)} times`);
  }
}
clearInterval(watching);

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

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
