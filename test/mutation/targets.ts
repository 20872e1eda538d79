/**
 * Which tests are to notice a change of which file. A path names the first of
 * these that it begins with. The quick tests come first: they are run first,
 * and only what they let pass goes on to the rest.
 */
export const TARGETS: readonly Target[] = [
  { path: "src/core/money.ts", tests: ["src/core/money.test.ts", "src/catalog/billing.test.ts"] },
  {
    path: "src/http/credential.ts",
    tests: ["src/http/credential.test.ts", "test/gateway/access.test.ts"],
  },
  {
    path: "src/http/idempotency.ts",
    tests: ["src/http/idempotency.test.ts", "test/gateway/idempotency.test.ts"],
  },
  {
    path: "src/storage/sqlite/ledger.ts",
    tests: ["test/storage/sqlite.test.ts", "test/hazards/crash.test.ts"],
  },
  {
    path: "src/storage/postgres/ledger.ts",
    tests: ["test/storage/postgres.test.ts", "test/gateway/shared-database.test.ts"],
  },
  { path: "src/relay/metering/settlement.ts", tests: ["src/relay/metering/settlement.test.ts"] },
  { path: "src/relay/metering/record.ts", tests: ["src/relay/metering/settlement.test.ts"] },
  { path: "src/relay/failover/attempt.ts", tests: ["src/relay/failover/attempt.test.ts"] },
  {
    path: "src/relay/failover/breaker.ts",
    tests: ["src/relay/failover/breaker.test.ts", "src/relay/failover/health.test.ts"],
  },
  {
    path: "src/relay/delivery/stream-to-client.ts",
    tests: ["src/relay/delivery/stream-to-client.test.ts"],
  },
  {
    path: "src/relay/metering/rate-reservations.ts",
    tests: ["src/relay/metering/rate-reservations.test.ts", "test/gateway/limits.test.ts"],
  },
  {
    path: "src/relay/",
    tests: ["src/relay/", "test/hazards/", "test/gateway/"],
  },
];

export interface Target {
  readonly path: string;
  readonly tests: readonly string[];
}

/**
 * Changes that no test can notice, since the program does the same: by the
 * line that they are in, as it is written.
 */
export const EQUIVALENT: readonly Equivalent[] = [
  // Plain numbers and big integers give the same sum; plain numbers are only quicker.
  {
    line: "return exactSumOf(parts) ?? largeSumOf(parts);",
    change: "exactSumOf(parts) ?? largeSumOf(parts) -> largeSumOf(parts)",
  },
  {
    line: "if (femto > Number.MAX_SAFE_INTEGER) return undefined;",
    change: "femto > Number.MAX_SAFE_INTEGER -> true",
  },
  { line: "if (femto > Number.MAX_SAFE_INTEGER) return undefined;", change: "> -> >=" },
  {
    line: "return nanoUsd(Number(nano > LARGEST ? LARGEST : nano));",
    change: "> -> >=",
  },
  // Nothing of something costs nothing either way.
  {
    line: 'if (count > 0) femto += count * rate * (kind === "second" ? 1 : 1_000);',
    change: "> -> >=",
  },
  { line: "if (count <= 0) return 0n;", change: "<= -> <" },
  // Saves parsing an address without a key.
  {
    line: 'if (!url.includes("key=")) return undefined;',
    change: '!url.includes("key=") -> false',
  },
  // A cache of parsed addresses: without it, or with another size, they are parsed again.
  { line: "if (url === undefined) {", change: "url === undefined -> true" },
  {
    line: "if (known.size >= MAX_PATHS) known.clear();",
    change: "known.size >= MAX_PATHS -> true",
  },
  { line: "if (known.size >= MAX_PATHS) known.clear();", change: ">= -> >" },
];

export interface Equivalent {
  readonly line: string;
  readonly change: string;
}
