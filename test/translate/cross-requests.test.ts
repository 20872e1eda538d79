import { afterAll, describe, expect, test } from "bun:test";
import type { ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { TextStyle } from "#core/style.ts";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { memberOf } from "#lib/values.ts";
import { geminiRequestFaults } from "#test/grammar/gemini-request.ts";
import { messagesRequestFaults } from "#test/grammar/messages-request.ts";
import { HAS_VENDORS, withShared } from "#test/shared.ts";
import { differences, extraNames, meaningOf, pairingFaults } from "./cross-meaning.ts";
import { capturedRequests, recordedRequests, type RecordedRequest } from "./cross-recorded.ts";
import { STYLES, type Judged } from "./cross-styles.ts";

/** Where a loss is told under another name than the field has here. */
const TOLD_AS: Readonly<Record<string, RegExp>> = {
  conversation: /^messages\.(?!name)/,
  media: /^messages\./,
  tools: /^tools/,
  "reasoning said": /^(messages\.)?reasoning/,
  "others said": /^(messages\.|tools)/,
  isMarked: /cache_control/,
  isCited: /citations/,
  isNamed: /messages\.name/,
  instructions: /response_format/,
  web_search: /web_search/,
  reasoning: /^reasoning/,
};

/** What is not the same and is not told, in which requests, and why. */
const EXCEPTIONS: readonly Exception[] = [
  {
    to: ["gemini"],
    field: "response_format",
    why: "the style's older schema has no definitions, so they stand where they are used",
    names: [
      "github/chat-completions/0020.json",
      "local-openai-compatible/chat-completions/0138.json",
    ],
  },
];

interface Exception {
  readonly to: readonly string[];
  readonly field: string;
  readonly why: string;
  readonly names: readonly string[];
}

/** What some vendors cannot do at all, by the field that asks for it. */
/** Tools without which the answer would be to another question, and which no other vendor runs. */
const RUN_BY_CLAUDE = ["tools.code_execution", "tools.computer", "tools.mcp_toolset"];
const RUN_BY_GEMINI = ["codeExecution", "fileSearch", "computerUse", "mcpServers"].map(
  (name) => `tools.${name}`,
);

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  "chat>responses": ["n", "modalities", "messages[0]"],
  "chat>messages": ["n", "modalities", "messages[0]"],
  "chat>gemini": [],
  "responses>chat": ["tools.file_search", "messages[0]"],
  "responses>messages": ["tools.file_search"],
  "responses>gemini": ["tools.file_search"],
  "messages>chat": ["messages[1]", "container", "mcp_servers", ...RUN_BY_CLAUDE],
  "messages>responses": ["messages[1]", "container", "mcp_servers", ...RUN_BY_CLAUDE],
  "messages>gemini": ["messages[1]", "container", "mcp_servers", ...RUN_BY_CLAUDE],
  "gemini>chat": ["messages[0]", "messages[1]", ...RUN_BY_GEMINI],
  "gemini>responses": ["messages[0]", "messages[1]", "modalities", ...RUN_BY_GEMINI],
  "gemini>messages": ["messages[0]", "messages[1]", "modalities", ...RUN_BY_GEMINI],
};

const needed = new Set<Exception>();

const PAIRS = STYLES.flatMap((from) =>
  STYLES.filter((to) => to !== from).map((to) => ({ from, to })),
);
let written = 0;

afterAll(() => {
  process.stdout.write(`requests written for upstreams of other styles: ${written}\n`);
});

withShared("corpus", () =>
  describe("recorded requests", () => {
    holdAll(new Map(STYLES.map((style) => [style, recordedRequests(style)])));

    test.if(HAS_VENDORS)("need every listed exception", () => {
      expect(EXCEPTIONS.filter((one) => !needed.has(one)).map(({ why }) => why)).toEqual([]);
    });
  }),
);

withShared("captured", () =>
  describe("requests of real clients", () => {
    holdAll(new Map(STYLES.map((style) => [style, capturedRequests(style)])));
  }),
);

/** Explicit marks alone are what the messages style does anyway; one at the end has another name there. */
function isCacheMark(name: string, request: ChatRequest, to: string, built: JsonObject): boolean {
  if (name !== "prompt_cache_options" || to !== "messages") return false;
  const asked = Object.values(request.extra ?? {}).map((members) => members[name]);
  return (
    asked.some((each) => isObject(each) && each["mode"] === "explicit") || "cache_control" in built
  );
}

function holdAll(requests: ReadonlyMap<Judged, readonly RecordedRequest[]>): void {
  test.each(PAIRS.map(({ from, to }) => [from.style.id, to.style.id, from, to] as const))(
    "[A4.3-02] [A4.3-09] from clients of the %s style reach an upstream of the %s style completely, or the loss is reported",
    (_, __, from, to) => {
      for (const { name, body } of requests.get(from) ?? []) {
        const request = readFromCaller(from.style, body);
        if (request === undefined) continue;
        const { built, lost, refused } = write(request, to.style, {});
        if (built === undefined) {
          const known = REFUSED[`${from.style.id}>${to.style.id}`];
          expect([name, known]).toEqual([name, expect.arrayContaining([refused])]);
          continue;
        }
        const again = readFromUpstream(to.style, built, request.stream);
        const found = [
          ...differences(meaningOf(request), meaningOf(again)).filter(({ field }) =>
            lost.every((one) => !(TOLD_AS[field] ?? new RegExp(`^${field}`)).test(one)),
          ),
          ...unknownTypesIn(built).map((is) => ({ field: "schema types", was: undefined, is })),
        ];
        const untold = found.filter(({ field }) => !isException(name, to, field));
        const dropped = extraNames(request, from.style.id).filter(
          (one) =>
            !(one in built) &&
            !lost.some((field) => field.startsWith(one)) &&
            !isCacheMark(one, request, to.style.id, built),
        );

        expect([name, untold]).toEqual([name, []]);
        expect([name, dropped]).toEqual([name, []]);
        written++;
      }
    },
  );

  test.each(PAIRS.map(({ from, to }) => [from.style.id, to.style.id, from, to] as const))(
    "from clients of the %s style would be accepted by a vendor of the %s style, with any model",
    (_, __, from, to) => {
      for (const { name, body } of requests.get(from) ?? []) {
        const request = readFromCaller(from.style, body);
        if (request === undefined) continue;
        for (const model of MODELS) {
          const { built } = write(request, to.style, model);
          if (built !== undefined) expect([name, faultsOf(to.style, built)]).toEqual([name, []]);
        }
      }
    },
  );
}

/** Of a model nobody knows, one that takes budgets, one that takes steps, and one that does not think. */
const MODELS: readonly ModelTraits[] = [
  {},
  {
    kind: "chat",
    maxOutputTokens: 32_000,
    reasoningControls: { budget: { minTokens: 1_024, maxTokens: 32_768 } },
  },
  { kind: "chat", maxOutputTokens: 64_000, reasoningControls: { efforts: ["low", "high"] } },
  { kind: "chat", maxOutputTokens: 4_096 },
];

/** `undefined` for what callers of the style are refused: the styles' own tests say what that is. */
function readFromCaller({ inbound }: TextStyle, body: JsonObject): ChatRequest | undefined {
  try {
    return inbound.parseRequest(body, inbound.readRequest(body, { model: "m", stream: true }));
  } catch (error) {
    if (error instanceof GatewayError && error.code === "invalid_request") return undefined;
    throw error;
  }
}

function write(
  request: ChatRequest,
  { outbound }: TextStyle,
  model: ModelTraits,
): { readonly built?: JsonObject; readonly lost: readonly string[]; readonly refused?: string } {
  const report = new LossReport();
  try {
    const built = parseJson(JSON.stringify(outbound.buildRequest(request, { report, model })));
    return { built: isObject(built) ? built : {}, lost: report.fields };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== "not_carried") throw error;
    return { lost: report.fields, refused: error.param ?? "" };
  }
}

/** Vendors take the least budget there is, which the specification does not let callers ask for. */
function readFromUpstream({ inbound }: TextStyle, body: JsonObject, stream: boolean): ChatRequest {
  const isLeast = memberOf(body["thinking"], "budget_tokens") === 1_024;
  const readable = isLeast
    ? { ...body, thinking: { type: "enabled", budget_tokens: 1_025 } }
    : body;
  const facts = inbound.readRequest(readable, { model: "m", stream });
  return inbound.parseRequest(readable, facts);
}

function isException(name: string, to: Judged, field: string): boolean {
  const known = EXCEPTIONS.find(
    (one) => one.field === field && one.to.includes(to.style.id) && one.names.includes(name),
  );
  if (known !== undefined) needed.add(known);
  return known !== undefined;
}

/** Types in the schemas of tools that JSON schema does not know. */
function unknownTypesIn({ tools = [] }: JsonObject): readonly string[] {
  return JSON.stringify(tools).match(/"type":(\d+|"[A-Z]+")/g) ?? [];
}

function faultsOf(style: TextStyle, body: JsonObject): readonly string[] {
  if (style.id === "messages") return messagesRequestFaults(body);
  if (style.id === "gemini") return geminiRequestFaults(body);
  return pairingFaults(readFromUpstream(style, body, false).messages);
}
