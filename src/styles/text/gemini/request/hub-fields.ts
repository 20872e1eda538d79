import type { ChatRequest } from "#core/chat.ts";
import { losesBudget, planReasoning } from "#core/reasoning.ts";
import type { OutboundContext } from "#core/style.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, numberOf, objectOf, restOf, textOf } from "#lib/values.ts";
import {
  fieldReader,
  fieldWriter,
  member,
  preserveOriginal,
  type Built,
  type CarriedField,
  type CarriedGroup,
  type FieldTable,
  type Writing,
} from "#styles/text/request-fields.ts";
import { CONFIG } from "./flat-body.ts";
import { FORMAT } from "./format.ts";
import { parseReasoning } from "../conversation/reasoning-in.ts";
import { buildThinking, cannotThink, isOff } from "../conversation/reasoning-out.ts";
import { isValidated, parseToolChoice, parseTools } from "../conversation/tool-in.ts";
import { buildToolChoice } from "../conversation/tool-out.ts";

/** The upstream and the request, for the rows. */
interface GeminiWriting extends Writing, Pick<OutboundContext, "model"> {
  readonly request: ChatRequest;
  /** Planned before the rest: an answer format may not go beside them. */
  readonly tools: readonly Json[];
}

/** The most that servers of this style take. */
const MAX_STOPS = 5;
const MAX_SEED = 2 ** 31 - 1;

const MODALITIES = `${CONFIG}responseModalities`;
const IMAGE_CONFIG = `${CONFIG}imageConfig`;
const CALLING = "toolConfig.functionCallingConfig";
const INVOCATIONS = "toolConfig.includeServerSideToolInvocations";

const TOOLS: CarriedGroup<
  "tools" | "webSearch" | "toolChoice" | "parallelToolCalls",
  GeminiWriting
> = {
  fields: { tools: true, webSearch: true, toolChoice: true, parallelToolCalls: true },
  members: ["tools", CALLING],
  parse(body) {
    const { functions: tools, webSearch, others, searchConfig } = parseTools(body["tools"]);
    return {
      values: defined({ tools, webSearch, toolChoice: parseToolChoice(body[CALLING]) }),
      rest: {
        tools: others,
        "tools.googleSearch": searchConfig,
        // Names the loss for other styles; here the choice is written with it.
        [`${CALLING}.mode`]: isValidated(body[CALLING]) ? "VALIDATED" : undefined,
      },
    };
  },
  build(request, { tools, raw }) {
    // The vendor's own tools beside functions have to be asked for.
    const hasCalls = tools.some((tool) => isObject(tool) && "functionDeclarations" in tool);
    const isMixed = hasCalls && tools.length > 1 && raw === undefined;
    const losesOrder = request.parallelToolCalls === false && (request.tools ?? []).length > 0;
    const choice = choiceOf(request, raw);
    return {
      members: {
        tools: tools.length > 0 ? tools : undefined,
        ...choice.members,
        [INVOCATIONS]: isMixed ? true : undefined,
      },
      lost: [...(losesOrder ? ["parallel_tool_calls"] : []), ...(choice.lost ?? [])],
    };
  },
};

function choiceOf(request: ChatRequest, raw: JsonObject | undefined): Built {
  const original = preserveOriginal(raw, [CALLING], request.toolChoice, (body) =>
    parseToolChoice(body[CALLING]),
  );
  if (original !== undefined) return { members: original };
  const { mode, lost } = buildToolChoice(request);
  return { members: { [CALLING]: mode }, ...defined({ lost }) };
}

/** The models that think refuse penalties. */
function penalty<Field extends "presencePenalty" | "frequencyPenalty">(
  name: string,
  as: string,
): CarriedField<Field, GeminiWriting> {
  return {
    members: [CONFIG + name],
    parse: (body) => numberOf(body[CONFIG + name]),
    build: (value, { model, raw }) =>
      model.reasoningControls === undefined || raw !== undefined
        ? { members: { [CONFIG + name]: value } }
        : { members: {}, lost: value === 0 ? [] : [as] },
  };
}

/** The path of the stop sequences in a flat body. */
export const STOP_MEMBER = `${CONFIG}stopSequences`;

const FIELDS = {
  user: { lost: { as: "user" } },
  metadata: { lost: { as: "metadata" } },
  temperature: member(`${CONFIG}temperature`, numberOf),
  topP: member(`${CONFIG}topP`, numberOf),
  topK: {
    ...member(`${CONFIG}topK`, numberOf),
    // Elsewhere none, or less than one, stands for no limit.
    build: (topK, { raw }) => ({
      members: { [`${CONFIG}topK`]: topK >= 1 || raw !== undefined ? topK : undefined },
    }),
  },
  presencePenalty: penalty("presencePenalty", "presence_penalty"),
  frequencyPenalty: penalty("frequencyPenalty", "frequency_penalty"),
  seed: {
    ...member(`${CONFIG}seed`, integerOf),
    build: (seed, { raw }) =>
      Math.abs(seed) <= MAX_SEED || raw !== undefined
        ? { members: { [`${CONFIG}seed`]: seed } }
        : { members: {}, lost: ["seed"] },
  },
  maxOutputTokens: {
    ...member(`${CONFIG}maxOutputTokens`, integerOf),
    // Some clients ask for more than any model can write, which this vendor refuses.
    build: (asked, { model: { maxOutputTokens: most = Infinity }, raw }) =>
      asked <= most || raw !== undefined
        ? { members: { [`${CONFIG}maxOutputTokens`]: asked } }
        : { members: { [`${CONFIG}maxOutputTokens`]: most }, lost: ["max_tokens"] },
  },
  choices: member(`${CONFIG}candidateCount`, integerOf),
  stop: {
    members: [STOP_MEMBER],
    parse: parseStop,
    build: (stop) => ({
      members: stop.length === 0 ? {} : { [STOP_MEMBER]: stop.slice(0, MAX_STOPS) },
      lost: stop.length > MAX_STOPS ? ["stop"] : [],
    }),
  },
  logprobs: {
    members: [`${CONFIG}responseLogprobs`, `${CONFIG}logprobs`],
    parse: (body) =>
      body[`${CONFIG}responseLogprobs`] === true
        ? defined({ top: integerOf(body[`${CONFIG}logprobs`]) })
        : undefined,
    build: ({ top }) => ({
      members: { [`${CONFIG}responseLogprobs`]: true, [`${CONFIG}logprobs`]: top },
    }),
  },
  modalities: {
    members: [MODALITIES],
    parse: parseModalities,
    // The hub has no place for videos.
    rest: (body) => (asksForVideo(body) ? { [MODALITIES]: body[MODALITIES] } : {}),
    build: (modalities) => ({
      members: {
        // Every model answers with text by default.
        [MODALITIES]:
          modalities.length === 1 && modalities[0] === "text"
            ? undefined
            : modalities.map((one) => one.toUpperCase()),
      },
    }),
  },
  imageOptions: {
    members: [IMAGE_CONFIG],
    parse: parseImageOptions,
    rest: restOfImageOptions,
    build: ({ aspectRatio, size }) => ({
      members: { [IMAGE_CONFIG]: defined({ aspectRatio, imageSize: size }) },
    }),
  },
  format: FORMAT,
  reasoning: {
    members: [`${CONFIG}thinkingConfig`],
    parse: (body) => parseReasoning(body[`${CONFIG}thinkingConfig`]),
    build(reasoning, { request, model }) {
      const config = buildThinking(request, model);
      const isOut = cannotThink(model) || config?.["thinkingBudget"] === 0;
      return {
        members: { [`${CONFIG}thinkingConfig`]: config },
        lost: lostOfThinking(isOut, reasoning, model),
      };
    },
  },
  tools: { group: TOOLS },
  webSearch: { group: TOOLS },
  toolChoice: { group: TOOLS },
  parallelToolCalls: { group: TOOLS },
} satisfies FieldTable<GeminiWriting>;

/** Reads everything of a flat body apart from its conversation. */
export const readFields = fieldReader(FIELDS, {
  structural: ["model", "contents", "systemInstruction"],
});

export const writeFields = fieldWriter<GeminiWriting, Record<string, Json | undefined>>(FIELDS);

export function parseStop(body: JsonObject): readonly string[] | undefined {
  const stops = listOf(body[STOP_MEMBER]).filter((one) => typeof one === "string");
  return stops.length === 0 ? undefined : stops;
}

function parseModalities(body: JsonObject): ChatRequest["modalities"] {
  const known = listOf(body[MODALITIES])
    .map((one) => (typeof one === "string" ? one.toLowerCase() : one))
    .filter((one) => one === "text" || one === "audio" || one === "image");
  return known.length === 0 ? undefined : known;
}

function asksForVideo(body: JsonObject): boolean {
  const asked = listOf(body[MODALITIES]);
  return asked.some((one) => typeof one === "string" && one.toUpperCase() === "VIDEO");
}

const IMAGE_OPTIONS: ReadonlySet<string> = new Set(["aspectRatio", "imageSize"]);

function parseImageOptions(body: JsonObject): ChatRequest["imageOptions"] {
  const wanted = objectOf(body[IMAGE_CONFIG]);
  const options = defined({
    aspectRatio: textOf(wanted?.["aspectRatio"]),
    size: textOf(wanted?.["imageSize"]),
  });
  return Object.keys(options).length === 0 ? undefined : options;
}

/** Named by path, for the loss report only. */
function restOfImageOptions(body: JsonObject): JsonObject {
  const rest = restOf(objectOf(body[IMAGE_CONFIG]) ?? {}, IMAGE_OPTIONS) ?? {};
  const named = Object.entries(rest).map(
    ([name, value]) => [`${IMAGE_CONFIG}.${name}`, value] as const,
  );
  return Object.fromEntries(named);
}

function lostOfThinking(
  isOut: boolean,
  reasoning: NonNullable<ChatRequest["reasoning"]>,
  { reasoningControls }: GeminiWriting["model"],
): readonly string[] {
  if (isOut && asksToThink(reasoning)) return ["reasoning"];
  const plan = planReasoning(reasoning, reasoningControls);
  return losesBudget(reasoning, plan) ? ["reasoning.budget_tokens"] : [];
}

function asksToThink(reasoning: NonNullable<ChatRequest["reasoning"]>): boolean {
  const { effort, budgetTokens, enabled } = reasoning;
  const isSteered = enabled === true || effort !== undefined || budgetTokens !== undefined;
  return isSteered && !isOff(reasoning);
}
