import type { ChatEvent, OpenBlock } from "#core/chat.ts";
import type { Usage } from "#core/usage.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";

/** What an answer says, whichever way it came: what two ways of telling it are compared by. */
export interface Said {
  readonly choices: Readonly<Record<number, SaidChoice>>;
  readonly usage: Usage | undefined;
}

export interface SaidChoice {
  text: string;
  reasoning: string;
  refusal: string;
  readonly calls: { id: string; name: string; arguments: string }[];
  readonly citations: string[];
  readonly logprobs: Json[];
  audio: string;
  transcript: string;
  images: string[];
  finish: string | undefined;
}

/** By which model and how it was served is between vendors and prices, and in no answer of another style. */
function counted(usage: Usage): Usage {
  const { served: _, servedBy: __, steps: ___, ...counts } = usage;
  return counts;
}

export function saidIn(events: readonly ChatEvent[]): Said {
  const choices: Record<number, SaidChoice> = {};
  const open: Record<number, OpenBlock | undefined> = {};
  let usage: Usage | undefined;
  for (const event of events) {
    if (event.type === "usage") usage = counted(event.usage);
    if (event.type === "start" || event.type === "usage") continue;
    const choice = (choices[event.choice] ??= nothingSaid());
    if (event.type === "open") {
      open[event.choice] = event.block;
      if (event.block.type === "tool_call")
        choice.calls.push({ id: event.block.id, name: event.block.name, arguments: "" });
      if (event.block.type === "image") choice.images.push("");
    } else if (event.type === "delta") append(choice, open[event.choice], event);
    else if (event.type === "cite") choice.citations.push(event.citation.url);
    else if (event.type === "finish") choice.finish = event.reason;
  }
  return { choices, usage };
}

/** The hub's own grammar: blocks open and close one at a time, and everything ends once. */
export function hubFaults(events: readonly ChatEvent[]): readonly string[] {
  const faults: string[] = [];
  const open = new Map<number, boolean>();
  const finished = new Set<number>();
  for (const [at, event] of events.entries()) {
    if ((event.type === "start") !== (at === 0)) faults.push("start is not the first event, once");
    if (event.type === "usage" && at !== events.length - 1)
      faults.push("usage is not the last event");
    if (event.type === "start" || event.type === "usage") continue;
    const isOpen = open.get(event.choice) === true;
    if (finished.has(event.choice)) faults.push(`${event.type} after the end of its choice`);
    if (event.type === "open") {
      if (isOpen) faults.push("blocks overlap");
      open.set(event.choice, true);
    } else if (event.type === "finish") {
      if (isOpen) faults.push("finished with an open block");
      finished.add(event.choice);
    } else {
      if (!isOpen) faults.push(`${event.type} outside a block`);
      if (event.type === "close") open.set(event.choice, false);
    }
  }
  return faults;
}

function append(
  choice: SaidChoice,
  block: OpenBlock | undefined,
  event: Extract<ChatEvent, { type: "delta" }>,
): void {
  const { text } = event;
  if (isArray(event.logprobs) && block?.type !== "reasoning")
    choice.logprobs.push(...event.logprobs);
  switch (block?.type) {
    case "text":
      choice.text += text;
      break;
    case "refusal":
      choice.refusal += text;
      break;
    case "reasoning":
      choice.reasoning += text;
      break;
    case "tool_call": {
      const call = choice.calls.at(-1);
      if (call !== undefined) call.arguments += text;
      break;
    }
    case "audio":
      choice.audio += text;
      choice.transcript += event.transcript ?? "";
      break;
    case "image":
      choice.images[choice.images.length - 1] += text;
      break;
    case "other":
    case undefined:
      break;
  }
}

function nothingSaid(): SaidChoice {
  return {
    text: "",
    reasoning: "",
    refusal: "",
    calls: [],
    citations: [],
    logprobs: [],
    audio: "",
    transcript: "",
    images: [],
    finish: undefined,
  };
}

/**
 * The same, read straight from recorded chunks in the plainest way: by a
 * choice's index and a call's index. It shares nothing with the style.
 */
export function saidInChunks(chunks: readonly JsonObject[]): Readonly<Record<number, SaidChoice>> {
  const choices: Record<number, SaidChoice> = {};
  for (const chunk of chunks) {
    for (const each of listIn(chunk, "choices")) {
      const choice = (choices[Number(each["index"] ?? 0)] ??= nothingSaid());
      const delta = each["delta"] ?? each["message"];
      if (isObject(delta)) addDelta(choice, delta);
      if (isObject(each["logprobs"]) && isArray(each["logprobs"]["content"]))
        choice.logprobs.push(...each["logprobs"]["content"]);
      if (typeof each["finish_reason"] === "string" && each["finish_reason"] !== "")
        choice.finish = each["finish_reason"];
    }
  }
  return choices;
}

function addDelta(choice: SaidChoice, delta: JsonObject): void {
  const { content } = delta;
  if (typeof content === "string") choice.text += content;
  if (isObject(content)) choice.text += JSON.stringify(content);
  for (const part of listIn(delta, "content")) {
    choice.text += textOf(part["text"]);
    for (const thought of listIn(part, "thinking")) choice.reasoning += textOf(thought["text"]);
  }
  const details = listIn(delta, "reasoning_details").map((one) =>
    textOf(one["text"] ?? one["summary"]),
  );
  choice.reasoning +=
    textOf(delta["reasoning_content"]) || textOf(delta["reasoning"]) || details.join("");
  choice.refusal += textOf(delta["refusal"]);
  for (const [at, call] of listIn(delta, "tool_calls").entries())
    addCall(choice, call, Number(call["index"] ?? at));
  if (isObject(delta["function_call"])) addCall(choice, { function: delta["function_call"] }, 0);
  for (const note of listIn(delta, "annotations")) {
    if (isObject(note["url_citation"])) choice.citations.push(textOf(note["url_citation"]["url"]));
  }
  if (isObject(delta["audio"])) {
    choice.audio += textOf(delta["audio"]["data"]);
    choice.transcript += textOf(delta["audio"]["transcript"]);
  }
}

function addCall(choice: SaidChoice, wire: JsonObject, index: number): void {
  const body = wire["function"] ?? wire["custom"];
  if (!isObject(body) || (textOf(body["name"]) === "" && choice.calls[index] === undefined)) return;
  const call = (choice.calls[index] ??= { id: "", name: "", arguments: "" });
  call.id ||= textOf(wire["id"]);
  call.name ||= textOf(body["name"]);
  call.arguments += textOf(body["arguments"] ?? body["input"]);
}

function listIn(value: JsonObject, name: string): readonly JsonObject[] {
  const list = value[name];
  return isArray(list) ? list.filter(isObject) : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
