import type { ChatEvent, ChatRequest, Tool } from "#core/chat.ts";
import { randomBase62 } from "#lib/ids.ts";
import { textOf } from "#lib/values.ts";
import { amongAllowed } from "#styles/text/allowed-tools.ts";
import type { WireRoute } from "../routing/route.ts";
import { declaresOwnTools } from "./answer-form.ts";
import { targetOf } from "./fit-request.ts";

/** A request for an answer in the form of a tool's arguments. */
interface CallByFormat {
  readonly request: ChatRequest;
  /** Name of the tool. */
  readonly tool: string;
}

/**
 * The request for a model that refuses to be made to call a tool, but can be
 * held to a schema: the tool's schema is that of the answer. The tools stay
 * where they are, and no message is changed: what stands before earlier
 * reasoning is the same in the next turn. `undefined` if nothing is forced, if
 * several tools may be called, or if the schema cannot be enforced.
 */
export function withCallFormat(
  request: ChatRequest,
  route: Pick<WireRoute, "endpoint" | "traits">,
): CallByFormat | undefined {
  const { answersForTool } = route.endpoint.style.outbound;
  if (answersForTool === undefined || route.traits.rules?.forcedTools !== false) return undefined;
  const tool = forcedTool(request);
  const { format, stop: _, ...rest } = request;
  if (tool?.parameters === undefined || (format !== undefined && format.type !== "text"))
    return undefined;
  if (!answersForTool(tool.parameters, request, targetOf(route))) return undefined;

  const { name, parameters } = tool;
  const schema = { ...parameters, description: descriptionOf(tool) };
  return {
    tool: name,
    request: {
      ...rest,
      toolChoice: { mode: "none" },
      format: { type: "json_schema", name, schema, strict: true },
    },
  };
}

/** The one function that the answer has to call. */
function forcedTool(request: ChatRequest): Tool | undefined {
  const { tools = [], toolChoice } = request;
  if (toolChoice?.mode === "named") {
    return tools.find((tool) => tool.name === toolChoice.name && isPlain(tool));
  }
  const isForced =
    toolChoice?.mode === "required" || (toolChoice?.mode === "allowed" && toolChoice.required);
  if (!isForced || hasOthers(request)) return undefined;
  const [only, ...others] = amongAllowed(tools, toolChoice);
  return only !== undefined && others.length === 0 && isPlain(only) ? only : undefined;
}

function isPlain({ kind, rawFields }: Tool): boolean {
  return kind === "function" && rawFields === undefined;
}

/** Tools that only a vendor knows, or runs. */
function hasOthers({ webSearch, extra, toolChoice }: ChatRequest): boolean {
  if (webSearch !== undefined) return true;
  if (toolChoice?.mode === "allowed" && toolChoice.extra !== undefined) return true;
  return declaresOwnTools(extra);
}

/** The instructions for the model: no message is changed for them. */
function descriptionOf({ name, description, parameters }: Tool): string {
  const told = [description, textOf(parameters?.["description"])].filter(
    (one) => one !== undefined,
  );
  return [`Arguments of a call of the tool ${JSON.stringify(name)}.`, ...told].join("\n\n");
}

const ID_LENGTH = 24;

type Delta = Extract<ChatEvent, { readonly type: "delta" }>;

/**
 * Makes a call of the first text of an answer that is a JSON object. Other
 * texts, such as a refusal, stay what they are.
 */
export class CallWriter {
  readonly #tool: string;
  readonly #idPrefix: string;
  /** Of open texts, by choice: what they are, or their beginning while nobody can tell. */
  readonly #texts = new Map<number, "call" | { readonly open: ChatEvent; text: string }>();
  readonly #called = new Set<number>();

  constructor(tool: string, idPrefix: string) {
    this.#tool = tool;
    this.#idPrefix = idPrefix;
  }

  take(event: ChatEvent): readonly ChatEvent[] {
    switch (event.type) {
      case "open":
        if (event.block.type !== "text" || this.#called.has(event.choice)) return [event];
        this.#texts.set(event.choice, { open: event, text: "" });
        return [];
      case "delta":
        return this.#add(event);
      case "cite":
        return this.#texts.get(event.choice) === "call" ? [] : [event];
      case "close":
        return this.#end(event);
      case "finish":
        return this.#called.has(event.choice) && isProper(event) ? [asCall(event)] : [event];
      default:
        return [event];
    }
  }

  #add(event: Delta): readonly ChatEvent[] {
    const { choice, text } = event;
    const open = this.#texts.get(choice);
    if (open === undefined) return [event];
    if (open === "call") return [{ type: "delta", choice, text }];
    open.text += text;
    const first = /\S/.exec(open.text)?.[0];
    if (first === undefined) return [];
    if (first !== "{") {
      this.#texts.delete(choice);
      return [open.open, { ...event, text: open.text }];
    }
    this.#texts.set(choice, "call");
    this.#called.add(choice);
    return [this.#begin(choice), { type: "delta", choice, text: open.text }];
  }

  #begin(choice: number): ChatEvent {
    const id = this.#idPrefix + randomBase62(ID_LENGTH);
    const block = { type: "tool_call", id, name: this.#tool, kind: "function" } as const;
    return { type: "open", choice, block };
  }

  #end(event: Extract<ChatEvent, { readonly type: "close" }>): readonly ChatEvent[] {
    const open = this.#texts.get(event.choice);
    if (open === undefined) return [event];
    this.#texts.delete(event.choice);
    return open === "call" ? [{ type: "close", choice: event.choice }] : [];
  }
}

type Finish = Extract<ChatEvent, { readonly type: "finish" }>;

/** Not one that broke off. */
function isProper({ reason }: Finish): boolean {
  return reason === "stop" || reason === "other";
}

function asCall(event: Finish): Finish {
  const { stopSequence: _, ...finish } = event;
  return { ...finish, reason: "tool_calls" };
}
