import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";

const REASONS = [
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "refusal",
  "model_context_window_exceeded",
  "compaction",
];

/** The pieces that a block of each type is made of; the others come whole in their head. */
const PIECES: Readonly<Record<string, readonly string[]>> = {
  text: ["text_delta", "citations_delta"],
  thinking: ["thinking_delta", "signature_delta"],
  tool_use: ["input_json_delta"],
  server_tool_use: ["input_json_delta"],
  mcp_tool_use: ["input_json_delta"],
  compaction: ["compaction_delta"],
};

/** What a piece must hold, as text. */
const CONTENT: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
  input_json_delta: "partial_json",
};

interface Event {
  readonly name: string;
  readonly data: JsonObject;
}

/**
 * What is wrong with a stream of messages events, as text: the order and the
 * members that clients of this style rely on. Empty where nothing is.
 */
export function messagesStreamFaults(stream: string): readonly string[] {
  const faults: string[] = [];
  const frames = stream.split("\n\n");
  if (frames.pop() !== "") faults.push("the last event lacks its blank line");
  const events = frames.map((frame) => readFrame(frame, faults));
  const said = events.filter(({ name }) => name !== "ping");
  return [...faults, ...orderFaults(said), ...startFaults(said[0]), ...blockFaults(said)];
}

/** Clients dispatch by the event's name; the data says the same once more. */
function readFrame(frame: string, faults: string[]): Event {
  const [first = "", second = "", ...more] = frame.split("\n");
  const data = parseJson(second.slice("data: ".length));
  if (!first.startsWith("event: ") || !second.startsWith("data: ") || more.length > 0)
    faults.push(`not an event line and a data line: ${frame.slice(0, 80)}`);
  const name = first.slice("event: ".length);
  const object = isObject(data) ? data : {};
  if (object["type"] !== name) faults.push(`'${name}' is not what its data says`);
  return { name, data: object };
}

function orderFaults(events: readonly Event[]): readonly string[] {
  const names = events.map(({ name }) => name);
  const faults: string[] = [];
  if (names[0] !== "message_start" || names.lastIndexOf("message_start") !== 0)
    faults.push("message_start is not the first event, once");
  if (names.at(-1) !== "message_stop" || names.indexOf("message_stop") !== names.length - 1)
    faults.push("message_stop is not the last event, once");
  if (names.at(-2) !== "message_delta" || names.indexOf("message_delta") !== names.length - 2)
    faults.push("message_delta is not the last but one, once");
  const known = ["message_start", "message_delta", "message_stop"];
  const strange = names.find((name) => !known.includes(name) && !name.startsWith("content_block_"));
  if (strange !== undefined) faults.push(`'${strange}' in a stream with an end`);
  return [...faults, ...deltaFaults(events)];
}

function startFaults(event: Event | undefined): readonly string[] {
  const message = event?.data["message"];
  if (!isObject(message)) return ["message_start holds no message"];
  const faults: string[] = [];
  const { id, model, usage } = message;
  if (typeof id !== "string" || !/^msg_./.test(id)) faults.push("the id is none of a message");
  if (typeof model !== "string" || model === "") faults.push("the model is not named");
  if (message["type"] !== "message" || message["role"] !== "assistant")
    faults.push("the message is not the assistant's");
  if (JSON.stringify(message["content"]) !== "[]") faults.push("the first content is not empty");
  if (message["stop_reason"] !== null || message["stop_sequence"] !== null)
    faults.push("there is a reason to end before there is anything");
  if (!isObject(usage) || !isCount(usage["input_tokens"]) || !isCount(usage["output_tokens"]))
    faults.push("the first usage lacks its counts");
  return faults;
}

function deltaFaults(events: readonly Event[]): readonly string[] {
  const data = events.find(({ name }) => name === "message_delta")?.data;
  const delta = data?.["delta"];
  const usage = data?.["usage"];
  if (!isObject(delta) || !isObject(usage)) return ["message_delta lacks its delta or its usage"];
  const faults: string[] = [];
  const { stop_reason: reason, stop_sequence: sequence } = delta;
  if (typeof reason !== "string" || !REASONS.includes(reason))
    faults.push(`${JSON.stringify(reason)} is no reason`);
  if (sequence === undefined || (sequence !== null) !== (reason === "stop_sequence"))
    faults.push("a stop sequence does not go with its reason");
  if (!isCount(usage["output_tokens"])) faults.push("the usage lacks the output");

  const calls = events.filter(
    ({ data: { content_block: block } }) => isObject(block) && block["type"] === "tool_use",
  );
  if (calls.length > 0 && (reason === "end_turn" || reason === "stop_sequence"))
    faults.push("tools are called, but the reason does not say so");
  if (calls.length === 0 && reason === "tool_use") faults.push("a reason to call, and no call");
  return faults;
}

/** Blocks are numbered from nought without a gap, and only one is open at a time. */
function blockFaults(events: readonly Event[]): readonly string[] {
  const faults: string[] = [];
  const ids = new Set<Json>();
  let next = 0;
  let open: { readonly head: JsonObject; readonly pieces: JsonObject[] } | undefined;
  for (const { name, data } of events) {
    const { index, content_block: head, delta } = data;
    if (name === "content_block_start") {
      if (open !== undefined) faults.push("a block begins inside another");
      if (index !== next) faults.push(`block ${JSON.stringify(index)} where ${next} is next`);
      open = { head: isObject(head) ? head : {}, pieces: [] };
      faults.push(...headFaults(open.head, ids));
    } else if (name === "content_block_delta") {
      if (open === undefined || index !== next) faults.push("a piece of a block that is not open");
      if (isObject(delta)) open?.pieces.push(delta);
    } else if (name === "content_block_stop") {
      if (open === undefined || index !== next) faults.push("a block that is not open is closed");
      else faults.push(...pieceFaults(open.head, open.pieces));
      open = undefined;
      next++;
    } else if (open !== undefined) {
      faults.push(`${name} inside a block`);
    }
  }
  return faults;
}

function headFaults(head: JsonObject, ids: Set<Json>): readonly string[] {
  const { type, id } = head;
  const faults: string[] = [];
  if (typeof type !== "string") return ["a block without a type"];
  if (type === "text" && head["text"] !== "") faults.push("a text does not begin empty");
  if (type === "thinking" && (head["thinking"] !== "" || head["signature"] !== ""))
    faults.push("thinking does not begin empty");
  if (type === "redacted_thinking" && typeof head["data"] !== "string")
    faults.push("redacted thinking without its data");
  if (type === "tool_use" || type === "server_tool_use" || type === "mcp_tool_use") {
    if (typeof id !== "string" || !/^[a-zA-Z0-9_-]+$/.test(id)) faults.push("a call without an id");
    if (typeof head["name"] !== "string" || head["name"] === "") faults.push("a call of nothing");
    if (JSON.stringify(head["input"]) !== "{}") faults.push("a call's input does not begin empty");
    if (ids.has(id ?? null)) faults.push("two calls have one id");
    ids.add(id ?? null);
  }
  return faults;
}

function pieceFaults(head: JsonObject, pieces: readonly JsonObject[]): readonly string[] {
  const faults: string[] = [];
  const allowed = PIECES[textOf(head["type"]) ?? ""] ?? [];
  for (const piece of pieces) {
    const type = textOf(piece["type"]) ?? "";
    const content = CONTENT[type];
    if (!allowed.includes(type))
      faults.push(`${type} in a block of type ${JSON.stringify(head["type"])}`);
    if (content !== undefined && typeof piece[content] !== "string")
      faults.push(`${type} without its ${content}`);
    if (type === "citations_delta" && !isObject(piece["citation"])) faults.push("no citation");
  }
  const proofs = pieces.filter(({ type }) => type === "signature_delta");
  if (proofs.length > 1 || (proofs.length === 1 && pieces.at(-1) !== proofs[0]))
    faults.push("a signature that is not the last of its block, once");
  if (head["type"] === "text" && pieces.length === 0) faults.push("a text that says nothing");
  return faults;
}

function isCount(value: Json | undefined): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}
