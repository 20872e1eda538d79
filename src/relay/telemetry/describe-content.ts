import type { ChatEvent } from "#core/chat.ts";
import type { CallContent } from "#core/content-log.ts";
import type { InboundStyle, RequestFacts, TextStyle } from "#core/style.ts";
import type { Attributes } from "#core/telemetry.ts";
import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { yieldToEventLoop } from "#lib/yield-to-event-loop.ts";
import { describeChoices, describeMessages } from "./describe-messages.ts";
import { writeWithin } from "./write-within.ts";

interface AskedCall {
  readonly style: InboundStyle;
  readonly facts: RequestFacts;
}

/**
 * The redacted content of a call under the names of the conventions. `maxChars`: of each attribute.
 * Parts that cannot be read, such as a text that was cut off, are left out.
 */
export async function describeContent(
  call: AskedCall,
  { request, answer }: CallContent,
  maxChars: number,
): Promise<Attributes> {
  await yieldToEventLoop(request.text.length);
  const asked = readOr({}, () => describeQuestion(call, request.text, maxChars));
  if (answer === null) return asked;
  await yieldToEventLoop(answer.text.length);
  return { ...asked, ...readOr({}, () => describeAnswer(call, answer.text, maxChars)) };
}

function describeQuestion({ style, facts }: AskedCall, text: string, maxChars: number): Attributes {
  const body = parseJson(text);
  if (!isObject(body)) return {};
  const hasInstructions = (INSTRUCTIONS.get(style.id) ?? []).some((name) => name in body);
  const request = style.inbound.parseRequest(body, facts);
  const { input, instructions, tools } = describeMessages(request, hasInstructions);
  return {
    "gen_ai.input.messages": writeWithin(input, maxChars),
    ...(instructions.length > 0 && {
      "gen_ai.system_instructions": writeWithin(instructions, maxChars),
    }),
    ...(tools.length > 0 && { "gen_ai.tool.definitions": writeWithin(tools, maxChars) }),
  };
}

/** Fields of instructions that are apart from the conversation, by style. */
const INSTRUCTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["messages", ["system"]],
  ["responses", ["instructions"]],
  ["gemini", ["systemInstruction", "system_instruction"]],
]);

function describeAnswer({ style }: AskedCall, text: string, maxChars: number): Attributes {
  const choices = describeChoices(eventsOf(style, text));
  return choices.length === 0 ? {} : { "gen_ai.output.messages": writeWithin(choices, maxChars) };
}

function eventsOf(style: InboundStyle, text: string): readonly ChatEvent[] {
  const isWhole = text.startsWith("{") && isObject(parseJson(text));
  const parts = isWhole ? [parseJson(text)] : partsOf(text);
  const objects = parts.filter(isObject);
  if (!isTextStyle(style)) return objects.flatMap((part) => textEvents(style, part));
  const [only] = objects;
  if (isWhole && only !== undefined) return style.outbound.parseResponse(only);
  return decode(style, objects);
}

function isTextStyle(style: InboundStyle): style is TextStyle {
  return "outbound" in style;
}

/** Up to the first event that cannot be read, such as a failure. */
function decode({ outbound }: TextStyle, parts: readonly JsonObject[]): readonly ChatEvent[] {
  const decoder = outbound.openDecoder();
  const events: ChatEvent[] = [];
  try {
    for (const part of parts) {
      if (decoder.isOver) break;
      const event = textOf(part["type"]);
      const data = JSON.stringify(part);
      events.push(...decoder.read(event === undefined ? { data } : { event, data }));
    }
    if (!decoder.isOver) events.push(...decoder.end());
  } catch {
    // The rest of the answer is a failure, or was cut off.
  }
  return events;
}

/** Events of a style without an outbound half. */
function textEvents(style: InboundStyle, part: JsonObject): readonly ChatEvent[] {
  return [...(style.readTexts?.(part) ?? [])].map(([choice, text]) => ({
    type: "delta",
    choice,
    text,
  }));
}

/** The documents of server-sent events, of lines, or of a list. */
function partsOf(text: string): readonly (Json | undefined)[] {
  const list = text.startsWith("[") ? parseJson(text) : undefined;
  if (isArray(list)) return list;
  return text.split("\n").map((line) => parseJson(line.replace(/^data: ?/, "")));
}

function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
