import { openInFront, openOthers } from "#test/hazards/large-images.ts";
import type { SmallCalls } from "#test/hazards/large-images.worker.ts";

/**
 * What ten calls with large pictures cost others: `bun bench/large-images.ts [bytes of each]`.
 * Callers and upstream have a thread of their own, and the gateway is alone in this one.
 */
const CALLS = 10;
const LARGE_BYTES = Number(process.argv[2] ?? 15_000_000);

using others = await openOthers();
await using gateway = await openInFront(others);
let longestMs = 0;
let lastAt = performance.now();
const watching = setInterval(() => {
  const now = performance.now();
  longestMs = Math.max(longestMs, now - lastAt);
  lastAt = now;
}, 1);

for (const pictureBytes of [1_000, 1_000, LARGE_BYTES, LARGE_BYTES]) {
  longestMs = 0;
  others.tell({ do: "ask", url: gateway.url, count: CALLS, pictureBytes });
  await others.when("arrived");
  others.tell({ do: "answer", pictureBytes });
  const { small } = await others.when("answered");
  print(`${CALLS} pictures of ${pictureBytes} bytes: longest turn ${longestMs.toFixed(0)} ms`);
  for (const phase of ["asking", "waiting", "answering"] as const) print(lineFor(phase, small));
}
clearInterval(watching);

function lineFor(phase: keyof SmallCalls, { [phase]: times }: SmallCalls): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
  return `  ${phase}: ${sorted.length} small calls, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
