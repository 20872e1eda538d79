import type { ChatEvent, ChatRequest, Extra, OutputFormat } from "#core/chat.ts";
import { isObject, parseJson } from "#lib/json.ts";
import type { Route, WireRoute } from "../routing/route.ts";
import { targetOf } from "./fit-request.ts";

/** How an upstream's answer differs from what its caller asked for. */
export interface AnswerForm {
  /** The answer is what a tool is called with, and its caller wants it as text. */
  readonly isByTool?: boolean;
  /** The answer is text, and its caller wants a call of this tool. */
  readonly asCallOf?: string;
  /** Stop sequences that the upstream was not asked for. */
  readonly stops?: readonly string[];
}

/** Maps an upstream event to events for the client. */
export type Unpack = (event: ChatEvent) => readonly ChatEvent[];

type SchemaFormat = Extract<OutputFormat, { type: "json_schema" }>;

/**
 * The request for an upstream that supports no response schema, but forced tool calls. The tool
 * gets the schema, and its arguments are the answer. `undefined` if the upstream supports the
 * schema, if it needs an instruction in the prompt, or if the client has tools.
 */
export function withFormatTool(request: ChatRequest, route: Route): ChatRequest | undefined {
  const { format } = request;
  if (format?.type !== "json_schema" || format.schema?.["type"] !== "object") return undefined;
  if (route.endpoint === undefined || usesTools(request) || reasons(request)) return undefined;
  if (!isHeldByTool(format.schema, route)) return undefined;
  const { format: _, ...rest } = request;
  const { description, schema: parameters } = format;
  const name = nameOf(format);
  return {
    ...rest,
    tools: [
      {
        kind: "function",
        name,
        description: description ?? "Takes the answer. Call it once, with the whole answer.",
        parameters,
      },
    ],
    toolChoice: { mode: "named", name, kind: "function" },
  };
}

/** The upstream supports no schema, but forced tool calls. */
export function isHeldByTool(
  schema: NonNullable<SchemaFormat["schema"]>,
  route: Pick<WireRoute, "endpoint" | "traits">,
): boolean {
  return route.endpoint.style.outbound.schemaBy?.(schema, targetOf(route)) === "tool";
}

/** Also in earlier turns: each call must have a declared tool. */
function usesTools({ tools = [], toolChoice, webSearch, extra, messages }: ChatRequest): boolean {
  if (tools.length > 0 || toolChoice !== undefined || webSearch !== undefined) return true;
  if (declaresOwnTools(extra)) return true;
  return messages.some(({ blocks }) =>
    blocks.some(({ type }) => type === "tool_call" || type === "tool_result"),
  );
}

/** Whether a request declares tools that only one style or vendor has. */
export function declaresOwnTools(extra: Extra = {}): boolean {
  return Object.values(extra).some((members) =>
    Object.keys(members).some((name) => name === "mcp_servers" || /^tools\b/.test(name)),
  );
}

/** Few models can be forced to call a tool while they reason. */
function reasons({ reasoning = {} }: ChatRequest): boolean {
  const { effort, budgetTokens, enabled } = reasoning;
  if (enabled === false || effort === "none" || budgetTokens === 0) return false;
  return enabled === true || effort !== undefined || budgetTokens !== undefined;
}

function nameOf({ name }: SchemaFormat): string {
  return /^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(name) ? name : "answer";
}

/** Converts the answer back to the requested form; `undefined` if no conversion is needed. */
export function unpackerFor(request: ChatRequest, isByTool: boolean): Unpack | undefined {
  const { format } = request;
  if (format?.type !== "json_schema" || (!isByTool && format.only === undefined)) return undefined;
  const unpacker = new Unpacker(isByTool ? nameOf(format) : undefined, format.only);
  return (event) => unpacker.take(event);
}

class Unpacker {
  /** The tool whose arguments are the answer; undefined if the text is. */
  readonly #tool: string | undefined;
  readonly #member: string | undefined;
  /** By choice: the open block is the answer, or a further call of the tool. */
  readonly #open = new Map<number, "answer" | "surplus">();
  readonly #called = new Set<number>();
  readonly #held = new Map<number, string>();

  constructor(tool: string | undefined, member: string | undefined) {
    this.#tool = tool;
    this.#member = member;
  }

  take(event: ChatEvent): readonly ChatEvent[] {
    switch (event.type) {
      case "open":
        return this.#begin(event);
      case "delta":
        return this.#add(event);
      case "close":
        return this.#end(event);
      case "finish":
        return this.#called.has(event.choice) && event.reason === "tool_calls"
          ? [asStop(event)]
          : [event];
      default:
        return [event];
    }
  }

  #begin(event: Extract<ChatEvent, { type: "open" }>): readonly ChatEvent[] {
    const { choice, block } = event;
    if (this.#tool === undefined) {
      if (block.type === "text") this.#open.set(choice, "answer");
      return [event];
    }
    if (block.type !== "tool_call" || block.name !== this.#tool) return [event];
    // Only one answer is valid: further calls of the tool are dropped.
    const isFirst = !this.#called.has(choice);
    this.#called.add(choice);
    this.#open.set(choice, isFirst ? "answer" : "surplus");
    return isFirst ? [{ type: "open", choice, block: { type: "text" } }] : [];
  }

  #add(event: Extract<ChatEvent, { type: "delta" }>): readonly ChatEvent[] {
    const { choice, text } = event;
    const open = this.#open.get(choice);
    if (open === undefined) return [event];
    if (open === "surplus") return [];
    if (this.#member === undefined) return [{ type: "delta", choice, text }];
    this.#held.set(choice, (this.#held.get(choice) ?? "") + text);
    return [];
  }

  #end(event: Extract<ChatEvent, { type: "close" }>): readonly ChatEvent[] {
    const { choice } = event;
    const open = this.#open.get(choice);
    if (open === undefined) return [event];
    this.#open.delete(choice);
    if (open === "surplus") return [];
    const closed: ChatEvent = this.#tool === undefined ? event : { type: "close", choice };
    const held = this.#held.get(choice) ?? "";
    this.#held.delete(choice);
    if (this.#member === undefined || held === "") return [closed];
    return [{ type: "delta", choice, text: memberIn(held, this.#member) }, closed];
  }
}

type Finish = Extract<ChatEvent, { type: "finish" }>;

/** The end of an answer that came as a call. */
function asStop({ choice, isUnstated }: Finish): Finish {
  return { type: "finish", choice, reason: "stop", ...(isUnstated && { isUnstated }) };
}

/** An upstream with only an instruction may have answered with the bare value. */
function memberIn(text: string, member: string): string {
  const json = parseJson(text);
  if (!isObject(json) || json[member] === undefined) return text;
  const value = json[member];
  return typeof value === "string" ? value : JSON.stringify(value);
}
