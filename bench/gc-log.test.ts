import { expect, test } from "bun:test";

import { parseGcLog } from "./gc-log.ts";

const LOG = `a line of the program
[GC<0x10>: starting 0.013ms]
Requesting GC because bytes allocated this cycle: 8395790 exceed bytes allowed: 8388608 normal bytes: 8395790 oversized bytes: 0 last oversized: 0
[GC<0x10>: START M 8928kb => EdenCollection, a=0kb hf=0.000 => 802kb, p=6.943364ms (max 6.943364), cycle 6.703893ms END]
GC END!
[GC<0x20>: starting 0.013ms]
Requesting GC because bytes allocated this cycle: 1000000 exceed bytes allowed: 840297 normal bytes: 1000000 oversized bytes: 0 last oversized: 0
[GC<0x20>: START M 9660kb => EdenCollection, a=0kb hf=0.000 => 1181kb, p=0.5ms (max 0.5), cycle 0.5ms END]
[GC<0x10>: START M 720kb => EdenCollection, a=0kb hf=0.000 => 226kb, p=0.25ms (max 0.25), cycle 0.2ms END]
`;

test("garbage is the sum of the allocations of each heap before its collections", () => {
  const { bytes, mainBytes } = parseGcLog(LOG);

  expect(bytes).toBe(9_395_790);
  expect(mainBytes).toBe(8_395_790);
});

test("each collection counts with its pause, including automatic ones", () => {
  const { count, pausesMs } = parseGcLog(LOG);

  expect(count).toBe(3);
  expect(pausesMs).toEqual([6.943364, 0.5, 0.25]);
});

test("a log without collections is empty", () => {
  expect(parseGcLog("ready\n")).toEqual({ bytes: 0, mainBytes: 0, count: 0, pausesMs: [] });
});
