import type { ChatRequest, OutputFormat, Reasoning } from "#core/chat.ts";
import type { OutboundContext } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, objectOf } from "#lib/values.ts";
import { preserveOriginal } from "#styles/text/request-fields.ts";
import type { Conversation } from "../conversation/conversation-out.ts";
import { buildFormat } from "./format-out.ts";
import { parseReasoning } from "../conversation/reasoning-in.ts";
import { limitOf, mayThink, planThinking } from "../conversation/reasoning-out.ts";
import { parseFormat } from "./format-in.ts";
import { MESSAGES, rawFieldsOf } from "../raw-fields.ts";

/** How the model is to think and to write. */
export interface Output {
  readonly members: Readonly<Record<string, Json>>;
  readonly maxTokens: number;
  /** What no member says, and the model is told instead. */
  readonly instruction: string | undefined;
  /** Thinking was asked for here; where the caller did it, the caller knows what goes with it. */
  readonly isThinking: "no" | "written" | "planned";
  readonly lost: readonly string[];
}

const MEMBERS = ["thinking", "output_config", "output_format"];

export function planOutput(
  request: ChatRequest,
  conversation: Conversation,
  context: OutboundContext,
): Output {
  const { reasoning, format } = request;
  const meaning = meaningOf(reasoning, format);
  const written = preserveOriginal(rawFieldsOf(request), MEMBERS, meaning, readMeaning);
  if (written !== undefined) return planWritten(written, request, conversation, context);

  const formed = withOwnThinking(request);
  if (formed !== undefined) {
    const output = planWritten(formed.members, request, conversation, context);
    return { ...output, lost: [...output.lost, ...formed.lost] };
  }

  const { thinking, effort, maxTokens, lost } = planThinking(request, conversation, context);
  const { wire, instruction, lost: lostFormat = [] } = buildFormat(format);
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
    lost: [...lost, ...lostFormat],
  };
}

/** Only the format is the gateway's: what the caller wrote of thinking stays as it is. */
function withOwnThinking(request: ChatRequest): Pick<Output, "members" | "lost"> | undefined {
  const { reasoning, format } = request;
  const written = preserveOriginal(rawFieldsOf(request), MEMBERS, [reasoning], (body) => [
    parseReasoning(body),
  ]);
  if (written === undefined || format === undefined) return undefined;
  const { wire, instruction, lost = [] } = buildFormat(format);
  if (wire === undefined || instruction !== undefined) return undefined;
  const { output_format: _, ...rest } = written;
  const members = { ...rest, output_config: { ...objectOf(rest["output_config"]), format: wire } };
  return { members, lost };
}

/** With thinking left out that only another vendor could prove, there can be no more of it. */
function planWritten(
  written: Readonly<Record<string, Json>>,
  request: ChatRequest,
  conversation: Conversation,
  { model }: OutboundContext,
): Output {
  const thinking = objectOf(written["thinking"]);
  const mustStop =
    thinking?.["type"] === "enabled" && conversation.lacksThinking && !mayThink(conversation);
  const { maxTokens, lost } = limitOf(request, model);
  return {
    members: mustStop ? { ...written, thinking: { type: "disabled" } } : written,
    maxTokens,
    instruction: undefined,
    isThinking: isOn(thinking) && !mustStop ? "written" : "no",
    lost: mustStop ? [...lost, "reasoning"] : lost,
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
