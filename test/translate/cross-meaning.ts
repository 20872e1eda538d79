import type { Block, ChatRequest, Extra, MediaBlock, Message, Reasoning } from "#core/chat.ts";
import { isArray, isObject, parseJson, type Json } from "#lib/json.ts";
import { sorted } from "./cross-told.ts";

/**
 * What a request asks, in no style's words: two requests that mean the same
 * have the same meaning, however differently they are written.
 */
interface Meaning {
  /** What is said before the conversation begins. */
  readonly instructions: string;
  readonly runs: readonly Run[];
  /** Contents and addresses of everything that is shown. */
  readonly media: readonly string[];
  readonly reasoning: number;
  /** Blocks that only one style knows. */
  readonly others: number;
  readonly isMarked: boolean;
  readonly isCited: boolean;
  readonly isNamed: boolean;
  readonly tools: readonly Json[];
  readonly settings: Readonly<Record<string, Json>>;
}

/** One side's part of a conversation, until the other speaks. */
interface Run {
  readonly side: "model" | "others";
  /** Without blanks, since styles join texts in several ways. */
  text: string;
  readonly calls: { readonly name: string; readonly args: Json }[];
  readonly results: RunResult[];
}

interface RunResult {
  /** The number of the call that it answers; -1 where there is none. */
  readonly call: number;
  readonly text: string;
}

export function meaningOf(request: ChatRequest): Meaning {
  const { messages } = request;
  const begin = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const leading = begin < 0 ? messages.length : begin;
  const blocks = messages.flatMap((message) => message.blocks);
  const all = blocks.flatMap((block) => [block, ...innerOf(block)]);
  const isSpoken = begin >= 0;
  const runs = runsOf(isSpoken ? messages.slice(leading) : messages);
  return {
    instructions: isSpoken
      ? bare(textIn(messages.slice(0, leading).flatMap((one) => one.blocks)))
      : "",
    runs,
    media: all
      .filter(isMedia)
      .map(({ source }) => contentOf(source))
      .toSorted(),
    reasoning: all.filter(({ type }) => type === "reasoning").length,
    others: all.filter(({ type }) => type === "other").length,
    isMarked: all.some(({ cache }) => cache !== undefined),
    isCited: all.some((block) => block.type === "text" && block.citations !== undefined),
    isNamed: messages.some(({ name }) => name !== undefined),
    tools: toolsIn(request, runs),
    settings: settingsOf(request),
  };
}

/** Fields whose meaning is not the same, each as it was and as it is. */
export function differences(
  before: Meaning,
  after: Meaning,
): readonly { readonly field: string; readonly was: unknown; readonly is: unknown }[] {
  const found: { field: string; was: unknown; is: unknown }[] = [];
  const compare = (field: string, was: unknown, is: unknown): void => {
    if (JSON.stringify(was) !== JSON.stringify(is)) found.push({ field, was, is });
  };
  compare("instructions", before.instructions, after.instructions);
  compare("conversation", before.runs, after.runs);
  compare("media", before.media, after.media);
  compare("tools", before.tools, after.tools);
  for (const name of ["reasoning", "others"] as const) {
    if (after[name] < before[name])
      found.push({ field: `${name} said`, was: before[name], is: after[name] });
  }
  for (const name of ["isMarked", "isCited", "isNamed"] as const) {
    if (before[name]) compare(name, true, after[name]);
  }
  for (const [name, was] of Object.entries(before.settings)) {
    if (was !== null) compare(name, was, after.settings[name]);
  }
  return found;
}

/** What styles put in where a vendor needs something and there is nothing, without blanks. */
const FILLERS = [
  /\(Theconversationbeginshere\.\)/g,
  /Theresultofanearliertoolcall:/g,
  /Result(of[^:]*)?:/g,
  /Whatthetoolreturnedisshowninthenextmessage\./g,
];
const NO_RESULTS = [
  "Thiscallwasbrokenoffbeforeithadaresult.",
  "Thecallwasinterrupted:thereisnoresult.",
  "Thetoolgavenoresult.",
  "Thereisnoresult:thecallwasnotfinished.",
];

function bare(text: string): string {
  const said = text.replaceAll(/\s/g, "");
  return FILLERS.reduce((rest, filler) => rest.replace(filler, ""), said)
    .replaceAll(/<system>(.*?)<\/system>/g, "$1")
    .replace(/^\.\.\.$/, "");
}

/**
 * The two sides in turn. What follows its call late is where it belongs, and
 * a result that answers nothing is what somebody says.
 */
function runsOf(messages: readonly Message[]): readonly Run[] {
  const runs: Run[] = [];
  const calls: { id: string; isAnswered: boolean }[] = [];
  for (const { role, blocks } of messages) {
    for (const block of blocks) {
      // One style's vendor writes results among what its model says.
      const isOfModel = role === "assistant" && block.type !== "tool_result";
      const run = runOf(runs, isOfModel ? "model" : "others");
      if (block.type === "tool_call") {
        run.calls.push({ name: block.name, args: argsOf(block) });
        calls.push({ id: block.id, isAnswered: false });
      } else if (block.type === "tool_result") {
        const call = calls.findIndex(({ id, isAnswered }) => id === block.callId && !isAnswered);
        const answered = calls[call];
        if (answered !== undefined) answered.isAnswered = true;
        const text = resultText(block);
        if (answered === undefined) run.text += text;
        else run.results.push({ call, text });
      } else run.text += bare(textIn([block]));
    }
  }
  return joined(runs);
}

/** The last one, where it is of this side. */
function runOf(runs: Run[], side: Run["side"]): Run {
  const last = runs.at(-1);
  if (last?.side === side) return last;
  const run: Run = { side, text: "", calls: [], results: [] };
  runs.push(run);
  return run;
}

function joined(runs: readonly Run[]): readonly Run[] {
  const out: Run[] = [];
  for (const { side, text, calls, results } of runs) {
    const answers = results.filter(
      (one) => !NO_RESULTS.some((filler) => one.text.endsWith(filler)),
    );
    if (text === "" && calls.length + answers.length === 0) continue;
    const run = runOf(out, side);
    run.text += text;
    run.calls.push(...calls);
    run.results.push(...answers);
    run.results.sort((a, b) => a.call - b.call);
  }
  return out;
}

/** Where there is no flag for what failed, its text says so. */
function resultText({ blocks, isError }: Extract<Block, { type: "tool_result" }>): string {
  const text = bare(textIn(blocks));
  return isError === true && !/^error/i.test(text) ? `Error:${text}` : text;
}

function argsOf({ kind, arguments: args }: Extract<Block, { type: "tool_call" }>): Json {
  if (kind === "custom") return args;
  if (args.trim() === "") return {};
  const json = parseJson(args);
  if (json === undefined) return { _raw: args };
  if (isObject(json)) return sorted(json);
  return json === null ? {} : { value: sorted(json) };
}

function textIn(blocks: readonly Block[]): string {
  return blocks
    .map((block) => (block.type === "text" || block.type === "refusal" ? block.text : ""))
    .join("\n");
}

function innerOf(block: Block): readonly Block[] {
  return block.type === "tool_result" ? block.blocks : [];
}

function isMedia(block: Block): block is MediaBlock {
  return /^(image|audio|video|file)$/.test(block.type);
}

function contentOf(source: MediaBlock["source"]): string {
  switch (source.kind) {
    case "url":
      return source.url;
    case "data":
      return source.base64;
    case "reference":
      return source.id;
  }
}

/** Without those that only stand for calls that were made long ago. */
function toolsIn({ tools = [], toolChoice }: ChatRequest, runs: readonly Run[]): readonly Json[] {
  const called = new Set(runs.flatMap(({ calls }) => calls.map(({ name }) => name)));
  const isLeft = toolChoice?.mode === "none" && tools.every(({ name }) => called.has(name));
  const told = tools.map(({ kind, name, description = "", parameters }) =>
    sorted({ kind, name, description, parameters: parametersIn(parameters) }),
  );
  return isLeft && tools.every(({ description }) => description === undefined) ? [] : told;
}

/** An object without members is no parameters at all. */
function parametersIn(schema: Json | undefined): Json {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  const isCombined = isObject(schema) && ["anyOf", "oneOf", "allOf"].some((name) => name in schema);
  const isEmpty = !isObject(properties) || Object.keys(properties).length === 0;
  return isEmpty && !isCombined ? null : { ...(isObject(schema) ? schema : {}), type: "object" };
}

/** `null` for what is not said, or says what is so anyway. */
function settingsOf(request: ChatRequest): Readonly<Record<string, Json>> {
  const { sampling, tools = [], toolChoice, format, stop = [], modalities = [] } = request;
  const hasTools = tools.length > 0;
  return {
    stream: request.stream ? true : null,
    max_tokens: request.maxOutputTokens ?? null,
    stop: stop.length === 0 ? null : stop,
    temperature: unless(1, sampling.temperature),
    top_p: unless(1, sampling.topP),
    top_k: sampling.topK ?? null,
    seed: sampling.seed ?? null,
    presence_penalty: unless(0, sampling.presencePenalty),
    frequency_penalty: unless(0, sampling.frequencyPenalty),
    n: unless(1, request.choices),
    logprobs: request.logprobs === undefined ? null : true,
    modalities: modalities.every((one) => one === "text") ? null : modalities,
    tool_choice: hasTools && toolChoice?.mode !== "auto" ? choiceOf(toolChoice) : null,
    parallel_tool_calls: hasTools && request.parallelToolCalls === false ? false : null,
    response_format: format === undefined || format.type === "text" ? null : formatOf(format),
    reasoning: reasoningOf(request.reasoning),
    web_search: request.webSearch === undefined ? null : true,
    user: request.user ?? null,
    metadata: request.metadata === undefined ? null : sorted(request.metadata),
  };
}

function unless<T extends Json>(usual: T, value: T | undefined): T | null {
  return value === undefined || value === usual ? null : value;
}

function choiceOf(choice: ChatRequest["toolChoice"]): Json {
  if (choice === undefined) return null;
  if (choice.mode === "named") return { name: choice.name };
  if (choice.mode === "allowed") return choice.required ? "required" : null;
  return choice.mode;
}

/** Its name is for people, and how strict it is some styles do not ask. */
function formatOf(format: NonNullable<ChatRequest["format"]>): Json {
  if (format.type !== "json_schema") return format.type;
  const { description: _, ...schema } = format.schema ?? {};
  return { schema: loosely(schema) };
}

/**
 * Members beyond the named ones some vendors never allow, and some always
 * forbid; and bounds may stand where the model can read them.
 */
function loosely(schema: Json): Json {
  if (isArray(schema)) return schema.map(loosely);
  if (!isObject(schema)) return schema;
  const { additionalProperties: _, $schema: __, description, ...rest } = schema;
  const told = typeof description === "string" ? description : "";
  const [, text = "", bounds = ""] = /^(.*?)(?:\n\n)?(?:\{(\w+: [^{}]*)\})?$/s.exec(told) ?? [];
  const bound = Object.entries(rest).filter(([name]) => BOUNDS.test(name));
  const others = Object.entries(rest).filter(([name]) => !BOUNDS.test(name));
  return sorted({
    ...Object.fromEntries(others.map(([name, one]) => [name, loosely(one ?? null)])),
    ...(text === "" ? {} : { description: text }),
    bounds: [
      ...bound.map(([name, one]) => `${name}: ${JSON.stringify(one)}`),
      ...bounds.split(", ").filter((one) => one !== ""),
    ],
  });
}

const BOUNDS = /^((exclusive)?(minimum|maximum)|(min|max)Length|maxItems|multipleOf)$/i;

/**
 * Whether a certain amount is asked for, or none; each style counts it in its
 * own way, and as much as the model likes is what it does unasked.
 */
function reasoningOf(reasoning: Reasoning | undefined): Json {
  const { enabled, effort, budgetTokens = -1 } = reasoning ?? {};
  if (enabled === false || effort === "none" || budgetTokens === 0) return "off";
  return effort !== undefined || budgetTokens > 0 ? "some" : null;
}

/** Members that have no place in the hub, by the names that their losses are told under. */
export function extraNames(
  { extra, messages, tools = [] }: ChatRequest,
  style: string,
): readonly string[] {
  return [
    ...namesIn(extra, style),
    ...messages.flatMap((message) => namesIn(message.extra, style, "messages.")),
    ...tools.flatMap((tool) => namesIn(tool.extra, style, "tools.")),
  ];
}

function namesIn(extra: Extra | undefined, style: string, path = ""): readonly string[] {
  return Object.entries(extra?.[style] ?? {})
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name]) => path + name.replace(/\..*$/, ""));
}

/** What every vendor says of calls without results, and of results without calls. */
export function pairingFaults(messages: readonly Message[]): readonly string[] {
  const faults: string[] = [];
  const open = new Set<string>();
  for (const block of messages.flatMap(({ blocks }) => blocks)) {
    if (block.type === "tool_call") {
      if (open.has(block.id)) faults.push("two calls at once with one id");
      open.add(block.id);
    } else if (block.type === "tool_result" && !open.delete(block.callId)) {
      faults.push("a result without its call");
    }
  }
  return open.size > 0 ? [...faults, "a call without its result"] : faults;
}
