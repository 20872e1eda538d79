/** A test file or a folder of them, and of these those whose names match `named`. */
export interface NamedTests {
  readonly path: string;
  readonly named?: string;
}

interface Target {
  readonly path: string;
  readonly tests: readonly (string | NamedTests)[];
}

/** The contract of both databases; of it what is about money. */
const CONTRACTS = ["test/storage/sqlite.test.ts", "test/storage/postgres.test.ts"];
const MONEY = "money|many at once|what goes wrong|budgets|several gateways|the way to";
/** Of a gateway that relays videos: each of these takes seconds. */
const VIDEOS = [
  "unified",
  "failover",
  "callbacks",
  "native",
  "notices",
  "other-users",
  "simulated",
];
const VIDEO_TESTS = VIDEOS.map((name) => `test/gateway/videos/${name}.test.ts`);

/**
 * Which tests are to notice a change of which file, in addition to the file's
 * own (`money.test.ts` for `money.ts`), which run first. A path names the first
 * of these that it begins with. The quick tests come first: only what they let
 * pass goes on to the rest.
 */
const TARGETS: readonly Target[] = [
  {
    path: "src/core/money.ts",
    tests: [
      "src/core/money-steps.test.ts",
      "src/core/price-variants.test.ts",
      "src/core/price-on-channel.test.ts",
      "src/relay/metering/settlement-charge.test.ts",
      "src/catalog/",
      "test/price-oracle.test.ts",
    ],
  },
  { path: "src/core/", tests: ["src/core/", "src/styles/", "src/relay/"] },
  { path: "src/lib/process-due.ts", tests: [] },
  { path: "src/lib/semaphore.ts", tests: [] },
  { path: "src/lib/", tests: ["src/lib/", "src/styles/"] },
  { path: "src/catalog/", tests: ["src/catalog/", "test/gateway/catalog.test.ts"] },
  { path: "src/styles/text/", tests: ["src/styles/text/", "test/translate/"] },
  { path: "src/styles/video/", tests: ["src/styles/video/", "test/gateway/videos/native.test.ts"] },
  { path: "src/styles/image/", tests: ["src/styles/image/", "test/gateway/images/"] },
  { path: "src/styles/asset/", tests: ["src/styles/asset/"] },
  { path: "src/styles/", tests: ["src/styles/"] },
  { path: "src/providers/", tests: ["src/providers/"] },
  { path: "src/egress/", tests: ["src/egress/"] },
  { path: "src/config", tests: ["src/config.test.ts", "src/config/"] },
  { path: "src/cli/", tests: ["src/cli/", "test/cli.test.ts"] },
  { path: "src/jobs/", tests: ["src/jobs/"] },
  { path: "src/gateway/", tests: ["src/gateway/", "test/gateway/start.test.ts"] },
  { path: "src/main.ts", tests: ["test/gateway/start.test.ts", "test/cli.test.ts"] },
  { path: "src/http/credential.ts", tests: ["test/gateway/access.test.ts"] },
  { path: "src/http/idempotency.ts", tests: ["test/gateway/idempotency.test.ts"] },
  {
    path: "src/http/api/video/content.ts",
    tests: [
      {
        path: "test/gateway/videos/content-streams.test.ts",
        named: "is read at the speed of its client",
      },
    ],
  },
  { path: "src/http/api/video/", tests: VIDEO_TESTS },
  { path: "src/http/api/image/", tests: ["src/http/api/image/", "test/gateway/images/"] },
  { path: "src/http/api/asset/assets.ts", tests: ["test/gateway/assets/"] },
  { path: "src/http/api/asset/", tests: [] },
  {
    path: "src/http/api/text/",
    tests: ["test/gateway/endpoints.test.ts", "test/gateway/responses.test.ts", "test/translate/"],
  },
  { path: "src/http/", tests: ["src/http/", "test/gateway/"] },
  {
    path: "src/storage/sqlite/ledger.ts",
    tests: [{ path: "test/storage/sqlite.test.ts", named: MONEY }, "test/hazards/crash.test.ts"],
  },
  { path: "src/storage/sqlite/", tests: ["src/storage/sqlite/", "test/storage/sqlite.test.ts"] },
  {
    path: "src/storage/postgres/ledger.ts",
    tests: [{ path: "test/storage/postgres.test.ts", named: MONEY }],
  },
  {
    path: "src/storage/postgres/",
    tests: [
      "src/storage/postgres/",
      "test/storage/postgres.test.ts",
      "test/storage/postgres-sharing.test.ts",
    ],
  },
  { path: "src/storage/counters/", tests: ["src/storage/counters/"] },
  { path: "src/storage/", tests: ["src/storage/", ...CONTRACTS] },
  { path: "src/relay/failover/breaker.ts", tests: ["src/relay/failover/health.test.ts"] },
  { path: "src/relay/failover/cooldowns.ts", tests: ["src/relay/failover/health.test.ts"] },
  {
    path: "src/relay/failover/",
    tests: ["src/relay/failover/", "test/hazards/failover.test.ts"],
  },
  { path: "src/relay/metering/rate-reservations.ts", tests: ["test/gateway/limits.test.ts"] },
  {
    path: "src/relay/metering/",
    tests: ["src/relay/metering/", "test/hazards/metering.test.ts"],
  },
  { path: "src/relay/delivery/", tests: ["src/relay/delivery/", "test/gateway/native.test.ts"] },
  {
    path: "src/relay/routing/",
    tests: [
      "src/relay/routing/",
      "test/gateway/channels.test.ts",
      "test/gateway/unknown-models.test.ts",
    ],
  },
  // Their own tests cover them, in less than a second for each change.
  { path: "src/relay/translation/", tests: [] },
  { path: "src/relay/relay.ts", tests: [] },
  { path: "src/relay/forward.ts", tests: [] },
  { path: "src/relay/draw.ts", tests: [] },
  { path: "src/relay/tasks/", tests: ["src/relay/tasks/", ...VIDEO_TESTS] },
  { path: "src/relay/content/file-type.ts", tests: ["src/relay/content/read-file.test.ts"] },
  // Each file has tests of its own.
  { path: "src/relay/assets/", tests: [] },
  { path: "src/relay/content/", tests: [] },
  { path: "src/relay/", tests: ["src/relay/", "test/gateway/"] },
];

/** The tests for a file; throws if none are named. */
export function testsOf(path: string, exists: (path: string) => boolean): readonly NamedTests[] {
  const target = TARGETS.find((each) => path.startsWith(each.path));
  if (target === undefined) throw new Error(`No tests are named for ${path}: use --tests.`);
  const own = path.replace(/\.ts$/, ".test.ts");
  const named = target.tests.map((each) => (typeof each === "string" ? { path: each } : each));
  const tests = exists(own) ? [{ path: own }, ...named] : named;
  if (tests.length === 0) throw new Error(`${own} does not exist, and no other tests are named.`);
  return tests;
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
  // Quicker ways to the same amount: the general way gives it as well.
  {
    line: "return plainCost(usage, rates) ?? sumOf(partsOf(usage, rates));",
    change:
      "plainCost(usage, rates) ?? sumOf(partsOf(usage, rates)) -> sumOf(partsOf(usage, rates))",
  },
  {
    line: "for (const name of SPECIAL_COUNTS) if ((usage[name] ?? 0) > 0) return undefined;",
    change: "(usage[name] ?? 0) > 0 -> true",
  },
  {
    line: "for (const name of SPECIAL_COUNTS) if ((usage[name] ?? 0) > 0) return undefined;",
    change: "> -> >=",
  },
  {
    line: "if (price.tiers === undefined && price.variants === undefined) {",
    change: "price.tiers === undefined && price.variants === undefined -> false",
  },
  {
    line: "if (serviceTier === undefined && speed === undefined && region === undefined)",
    change: "serviceTier === undefined && speed === undefined && region =... -> false",
  },
  {
    line: "if (ofText !== undefined && !hasUnits(size)) return ofText;",
    change: "ofText !== undefined && !hasUnits(size) -> false",
  },
  {
    line: "if (usage.steps === undefined && usage.servedBy === undefined) {",
    change: "usage.steps === undefined && usage.servedBy === undefined -> false",
  },
  { line: "if (isOne) return { rates: ratesFor(usage, price) };", change: "isOne -> false" },
  {
    line: "if (!dependsOnTime(each.when)) return [each];",
    change: "!dependsOnTime(each.when) -> false",
  },
  // The largest of equal amounts is either of them.
  {
    line: "return estimates.reduce((most, each) => (each > most ? each : most));",
    change: "> -> >=",
  },
  {
    line: "return [[name, Number(exact > LARGEST ? LARGEST : exact)] as const];",
    change: "> -> >=",
  },
  // Only the names of these records are read; the values are there for the compiler.
  { line: "longCacheWriteTokens: true,", change: "true -> false" },
  { line: "audioInputTokens: true,", change: "true -> false" },
  { line: "imageInputTokens: true,", change: "true -> false" },
  { line: "audioOutputTokens: true,", change: "true -> false" },
  { line: "imageOutputTokens: true,", change: "true -> false" },
  { line: "images: true,", change: "true -> false" },
  { line: "referenceImages: true,", change: "true -> false" },
  { line: "durationMs: true,", change: "true -> false" },
  { line: "characters: true,", change: "true -> false" },
  { line: "searches: true,", change: "true -> false" },
  { line: "kind: true,", change: "true -> false" },
  { line: "line: true,", change: "true -> false" },
  { line: "deprecatedAt: true,", change: "true -> false" },
  { line: "retiresAt: true,", change: "true -> false" },
  { line: "counting: true,", change: "true -> false" },
  { line: "contextTokens: true,", change: "true -> false" },
  { line: "maxOutputTokens: true,", change: "true -> false" },
  { line: "input: true,", change: "true -> false" },
  { line: "output: true,", change: "true -> false" },
  { line: "tools: true,", change: "true -> false" },
  { line: "reasoningControls: true,", change: "true -> false" },
  { line: "rules: true,", change: "true -> false" },
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
  // A call is ended once, whether or not it goes on listening.
  {
    line: 'callerSignal.addEventListener("abort", forward, { once: true });',
    change: "true -> false",
  },
  // Without any limits the list is empty either way.
  {
    line: "if (key.limits === undefined && ofUser === undefined && group === undefined) return NOT_LIMITED;",
    change: "key.limits === undefined && ofUser === undefined && group ==... -> false",
  },
  // The usual tier needs no notice, and a model without a price has its own: both were left before.
  {
    line: "if (serviceTier === undefined || route.price === undefined) return;",
    change: "serviceTier === undefined || route.price === undefined -> false",
  },
  {
    line: "if (serviceTier === undefined || route.price === undefined) return;",
    change: "|| -> &&",
  },
  // Text beside a reported usage is counted by nobody.
  {
    line: "if (this.#metered.usage === undefined) this.#uncounted.add(text);",
    change: "this.#metered.usage === undefined -> true",
  },
  // A call that is metered has a route.
  { line: "if (route === undefined) return graded;", change: "route === undefined -> false" },
  // A checkpoint of a call that is not open changes no row.
  {
    line: "if (holds.has(callId)) checkpoints.note(callId, delivered, context);",
    change: "holds.has(callId) -> true",
  },
  // A hold that is not on disk has its request, which is only dropped to free memory.
  {
    line: 'assert(request !== undefined, "A hold is written once.");',
    change: 'assert(request !== undefined, "A hold is written once."); -> ;',
  },
  { line: "hold.request = undefined;", change: "hold.request = undefined; -> ;" },
  {
    line: 'if (hold.request !== undefined) batch.row("entry", entryOf(hold.request, hold.columns));',
    change: "hold.request !== undefined -> true",
  },
  // Deleting a row that was never written deletes nothing.
  {
    line: '} else if (hold.state !== "provisional") {',
    change: 'hold.state !== "provisional" -> true',
  },
  // The same values in another object, which only costs memory.
  {
    line: "if (this.#passage.openings !== this.#openings) {",
    change: "this.#passage.openings !== this.#openings -> true",
  },
  // Removing old buckets when there is none to remove changes nothing.
  { line: "if (now - (this.#buckets[0]?.at ?? now) > WINDOW_MS) {", change: "> -> >=" },
  {
    line: "if (now - (this.#buckets[0]?.at ?? now) > WINDOW_MS) {",
    change: "now - (this.#buckets[0]?.at ?? now) > WINDOW_MS -> true",
  },
  { line: "if (now - (this.#buckets[0]?.at ?? now) > WINDOW_MS) {", change: "- -> +" },
  // A play time that is not known is neither too short nor too long.
  { line: "if (ms === undefined) return undefined;", change: "ms === undefined -> false" },
  // The session that was just asked for is the one in the database: this saves a query.
  {
    line: "after ??",
    change:
      "after ?? (await this.#deps.sessions.findByToken(session.user... -> await this.#deps.sessions.findByToken(session.userId, sessio...",
  },
  // What was just written is read again, which only costs a query.
  { line: "if (after !== undefined) return after;", change: "after !== undefined -> false" },
  // An entry of zero downloads only costs memory.
  { line: "if (left === 0) this.#ofKey.delete(keyId);", change: "left === 0 -> false" },
  // Copies the same bytes.
  {
    line: "return head.length === 1 && only !== undefined ? only : Buffer.concat(head);",
    change: "!== -> ===",
  },
  // Decodes more than is needed, and cuts it off.
  {
    line: "const text = this.#base64.slice(group * 4, Math.ceil(stop / 3) * 4);",
    change: "/ -> *",
  },
  // A signal is aborted once.
  {
    line: 'else exchange.signal.addEventListener("abort", () => content.close(), { once: true });',
    change: "true -> false",
  },
  // Waits for nothing.
  { line: "if (wait !== undefined) await wait;", change: "wait !== undefined -> true" },
  // No two channels have the same name.
  {
    line: "(a, b) => a.priority - b.priority || (a.name < b.name ? -1 : 1),",
    change: "< -> <=",
  },
  // One search is one search either way.
  {
    line: "return price?.searchOncePerCall === true && searches > 1 ? { ...usage, searches: 1 } : usage;",
    change: "> -> >=",
  },
  // Saves a walk through a conversation of which nothing is kept; only turns of the model make calls.
  {
    line: "if (this.#kept.size === 0) return request;",
    change: "this.#kept.size === 0 -> false",
  },
  {
    line: 'if (message.role !== "assistant") return message;',
    change: 'message.role !== "assistant" -> false',
  },
  // A member of blocks that is there has a value.
  {
    line: 'const isSigned = message.blocks.some((block) => "signature" in block && block.signature);',
    change: "&& -> ||",
  },
  // What has expired is not found, whether or not it is still held.
  {
    line: "if (this.#length <= this.#settings.maxLength && expiresAt > this.#clock.now()) break;",
    change: "> -> >=",
  },
  // Without stop sequences none is lost and none is searched for: only work is saved.
  { line: "if (stop.length === 0) return [];", change: "stop.length === 0 -> false" },
  { line: "if (asked.length === 0) return false;", change: "asked.length === 0 -> false" },
  // The first event of a choice opens a block or ends the choice.
  { line: "#isText = false;", change: "false -> true" },
  // Two different texts of one length do not end at the same place.
  {
    line: "if (length === text.length && length > (found?.length ?? 0)) found = text;",
    change: "> -> >=",
  },
  // The number after the last is never read.
  { line: "for (let at = 1, length = 0; at < text.length; at++) {", change: "< -> <=" },
  // Without a stage an event passes as it is: only a list is saved.
  {
    line: "if (this.#stages.length === 0) return this.#write(event);",
    change: "this.#stages.length === 0 -> false",
  },
  // Both are set together, and what only `begin` needs is dropped to free memory.
  {
    line: "if (this.#sink !== undefined && this.#settlement !== undefined) {",
    change: "&& -> ||",
  },
  { line: "this.#beginning = undefined;", change: "this.#beginning = undefined; -> ;" },
  { line: "this.#attaching = undefined;", change: "this.#attaching = undefined; -> ;" },
  // A piece within the limit is one part: only a copy is saved.
  {
    line: "if (piece.length > MAX_WRITE_BYTES) return this.#writeInParts(piece, sink);",
    change: "piece.length > MAX_WRITE_BYTES -> true",
  },
  {
    line: "if (piece.length > MAX_WRITE_BYTES) return this.#writeInParts(piece, sink);",
    change: "> -> >=",
  },
  // To give up a wait that is over changes nothing.
  { line: "this.#giveUp = undefined;", change: "this.#giveUp = undefined; -> ;" },
  // A poll that is due at the same time again happens once.
  {
    line: "if (entry.polling === undefined && entry.task.dueAt > soonest) {",
    change: "> -> >=",
  },
  // To lease no more tasks changes nothing.
  { line: "if (room <= 0) return;", change: "<= -> <" },
  // A channel without polls is known as such, or not known.
  { line: "if (busy === 0) this.#busy.delete(channel);", change: "busy === 0 -> false" },
  // A hold is dropped only by the gateway that has its request.
  {
    line: 'if (request !== undefined) batch.row("entry", entryOf(request, columns));',
    change: "request !== undefined -> true",
  },
  // To release a hold that is not on disk changes nothing there.
  { line: '} else if (state !== "provisional") {', change: 'state !== "provisional" -> true' },
  // At the very end of the wait, a timer of 0 ms follows, and then the wait has ended.
  { line: "if (waitMs > 0) {", change: "> -> >=" },
  // The time of a task that was dropped is passed over when it comes.
  {
    line: "if (this.#entries.get(entry.task.id) === entry) this.#plan(entry);",
    change: "this.#entries.get(entry.task.id) === entry -> true",
  },
];

interface Equivalent {
  readonly line: string;
  readonly change: string;
}
