/** The files that a compiled program starts with: its main thread and its other threads. */
export const ENTRY_POINTS = [
  "src/main.ts",
  "src/storage/sqlite/writer-thread.ts",
  "src/relay/metering/token-thread.ts",
];
