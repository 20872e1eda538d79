import { setPriority } from "node:os";
import {
  askWith,
  ended,
  openCallers,
  openInFront,
  openOthers,
  type Load,
} from "#test/hazards/large-images.ts";

/**
 * What ten calls with large pictures cost others, and what others cost them:
 * `bun bench/large-images.ts [rounds] [bytes of each]`. The large calls, the
 * small ones and the gateway have a process each.
 */
const ROUNDS = Number(process.argv[2] ?? 6);
const PICTURE_BYTES = Number(process.argv[3] ?? 15_000_000);
const CALLS = 10;
/** A machine's own network, and no network in between. */
const SPEEDS = { "1 Gbit/s": 125_000, loopback: Infinity };
/** As many as warm the runtime up, and make a p99. */
const ALONE = 2_000;

/** What one round showed, in ms, and in times of what small calls take by themselves. */
interface Round {
  readonly alone: number;
  readonly asking: number;
  readonly waiting: number;
  readonly answering: number;
  /** Until the last of the large ones had its answer, beside others and beside nobody. */
  readonly besideMs: number;
  readonly byThemselvesMs: number;
  readonly turnMs: number;
}

using large = await openCallers();
// Elsewhere they would have a processor of their own: here they take what the others leave of it.
setPriority(large.pid, 19);
using small = await openOthers();
await using gateway = await openInFront(large, small);
const parties = { gateway, large, small };
/** Of this thread on a core: what others take of the machine is not the gateway's. */
let longestCpuMs = 0;
let lastCpu = cpuMs();
const watching = setInterval(() => {
  const cpu = cpuMs();
  longestCpuMs = Math.max(longestCpuMs, cpu - lastCpu);
  lastCpu = cpu;
}, 1);

await alone();
await askWith({ pictureBytes: 1_000, calls: CALLS }, parties);
const rounds = Object.entries(SPEEDS).map(([speed, bytesPerMs]) => ({
  speed,
  load: { pictureBytes: PICTURE_BYTES, calls: CALLS, bytesPerMs },
  seen: new Array<Round>(),
}));
// In turn, so that a machine's slow minute is not one speed's alone.
for (let each = 0; each < ROUNDS; each++) {
  for (const { load, seen } of rounds) seen.push(await askBeside(load));
}
clearInterval(watching);
for (const { speed, seen } of rounds) {
  print(`${CALLS} pictures of ${PICTURE_BYTES} bytes over ${speed}, median of ${ROUNDS} rounds`);
  print(`  others' p99 alone: ${spread(seen, "alone", "ms")}`);
  for (const phase of ["asking", "waiting", "answering"] as const) {
    print(`  others' p99 ${phase}: ${spread(seen, phase, "times")}`);
  }
  print(`  all large ones beside others: ${spread(seen, "besideMs", "ms")}`);
  print(`  all large ones by themselves: ${spread(seen, "byThemselvesMs", "ms")}`);
  print(`  longest turn, of CPU: ${spread(seen, "turnMs", "ms")}`);
}

async function askBeside(load: Load): Promise<Round> {
  const without = percentile(await alone(), 0.99);
  longestCpuMs = 0;
  const at = performance.now();
  const { small: times } = await askWith(load, parties);
  const besideMs = performance.now() - at;
  return {
    alone: without,
    asking: percentile(times.asking, 0.99) / without,
    waiting: percentile(times.waiting, 0.99) / without,
    answering: percentile(times.answering, 0.99) / without,
    besideMs,
    turnMs: longestCpuMs,
    byThemselvesMs: await timeLarge(load),
  };
}

async function timeLarge({ calls }: Load): Promise<number> {
  const at = performance.now();
  large.tell({ do: "ask", url: gateway.url, count: calls });
  await large.when("arrived");
  large.tell({ do: "answer" });
  await large.when("answered");
  return performance.now() - at;
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

async function alone(): Promise<readonly number[]> {
  small.tell({ do: "begin", url: gateway.url });
  return await ended(small, ALONE);
}

function spread(seen: readonly Round[], what: keyof Round, unit: string): string {
  const all = seen.map((round) => round[what]);
  const [median, least, most] = [percentile(all, 0.5), Math.min(...all), Math.max(...all)];
  return `${median.toFixed(1)} ${unit} (${least.toFixed(1)} to ${most.toFixed(1)})`;
}

function percentile(all: readonly number[], share: number): number {
  const sorted = all.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
