import type { ChatRequest, OutputFormat, Reasoning } from "#core/chat.ts";
import type { OutboundContext } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, objectOf } from "#lib/values.ts";
import { asWritten } from "./as-written.ts";
import type { Conversation } from "./conversation-out.ts";
import { buildFormat } from "./format-out.ts";
import { parseReasoning } from "./reasoning-in.ts";
import { limitOf, mayThink, planThinking } from "./reasoning-out.ts";
import { parseFormat } from "./request-in.ts";
import { MESSAGES } from "./spelling.ts";

/** How the model is to think and to write. */
export interface Output {
  readonly members: Readonly<Record<string, Json>>;
  readonly maxTokens: number;
  /** What no member says, and the model is told instead. */
  readonly instruction: string | undefined;
  /** Thinking was asked for here; where the caller did it, the caller knows what goes with it. */
  readonly isThinking: "no" | "written" | "planned";
}

const MEMBERS = ["thinking", "output_config", "output_format"];

export function planOutput(
  request: ChatRequest,
  conversation: Conversation,
  context: OutboundContext,
): Output {
  const { reasoning, format } = request;
  const written = asWritten(request, MEMBERS, meaningOf(reasoning, format), readMeaning);
  if (written !== undefined) return planWritten(written, request, conversation, context);

  const formed = withOwnThinking(request, context);
  if (formed !== undefined) return planWritten(formed, request, conversation, context);

  const { thinking, effort, maxTokens } = planThinking(request, conversation, context);
  const { wire, instruction } = buildFormat(format, context.report);
  const config = {
    ...objectOf(request.extra?.[MESSAGES]?.["output_config"]),
    ...defined({ effort, format: wire }),
  };
  return {
    members: defined({
      thinking,
      output_config: Object.keys(config).length === 0 ? undefined : config,
    }),
    maxTokens,
    instruction,
    isThinking: isOn(thinking) ? "planned" : "no",
  };
}

/** Only the format is the gateway's: what the caller wrote of thinking stays as it is. */
function withOwnThinking(
  request: ChatRequest,
  { report }: OutboundContext,
): Readonly<Record<string, Json>> | undefined {
  const { reasoning, format } = request;
  const written = asWritten(request, MEMBERS, [reasoning], (body) => [parseReasoning(body)]);
  if (written === undefined || format === undefined) return undefined;
  const { wire, instruction } = buildFormat(format, report);
  if (wire === undefined || instruction !== undefined) return undefined;
  const { output_format: _, ...rest } = written;
  return { ...rest, output_config: { ...objectOf(rest["output_config"]), format: wire } };
}

/** With thinking left out that only another vendor could prove, there can be no more of it. */
function planWritten(
  written: Readonly<Record<string, Json>>,
  request: ChatRequest,
  conversation: Conversation,
  context: OutboundContext,
): Output {
  const thinking = objectOf(written["thinking"]);
  const mustStop =
    thinking?.["type"] === "enabled" && conversation.lacksThinking && !mayThink(conversation);
  if (mustStop) context.report.lose("reasoning");
  return {
    members: mustStop ? { ...written, thinking: { type: "disabled" } } : written,
    maxTokens: limitOf(request, context),
    instruction: undefined,
    isThinking: isOn(thinking) && !mustStop ? "written" : "no",
  };
}

function isOn(thinking: JsonObject | undefined): boolean {
  const type = thinking?.["type"];
  return type === "enabled" || type === "adaptive" || type === "between_tools";
}

type Meaning = readonly [Reasoning | undefined, OutputFormat | undefined];

function meaningOf(reasoning: Reasoning | undefined, format: OutputFormat | undefined): Meaning {
  return [reasoning, format];
}

function readMeaning(body: JsonObject): Meaning {
  return meaningOf(parseReasoning(body), parseFormat(body));
}
