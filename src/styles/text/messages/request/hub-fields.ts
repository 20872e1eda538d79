import type { ChatRequest } from "#core/chat.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, numberOf, objectOf, restOf, textOf } from "#lib/values.ts";
import {
  fieldReader,
  fieldWriter,
  preserveOriginal,
  type Built,
  type CarriedGroup,
  type FieldTable,
  type LostField,
  type Writing,
} from "#styles/text/request-fields.ts";
import { parseFormat, restOfFormat } from "./format-in.ts";
import type { Output } from "./output-out.ts";
import { parseReasoning } from "../conversation/reasoning-in.ts";
import { fitSampling } from "./sampling-out.ts";
import { parseToolChoice, parseTools } from "../conversation/tool-in.ts";
import type { Choosing } from "../conversation/tool-out.ts";

/** Plans made together with the conversation, for the rows. */
interface MessagesWriting extends Writing {
  /** How the model is to think and to write. */
  readonly output: Output;
  readonly choosing: Choosing;
}

/** Vendors refuse some samplers beside thinking, and some together. */
const SAMPLING: CarriedGroup<"temperature" | "topP" | "topK", MessagesWriting> = {
  fields: { temperature: true, topP: true, topK: true },
  members: ["temperature", "top_p", "top_k"],
  parse: (body) => ({
    values: defined({
      temperature: numberOf(body["temperature"]),
      topP: numberOf(body["top_p"]),
      topK: integerOf(body["top_k"]),
    }),
  }),
  build(request, { output }) {
    const { sampling, lost } = fitSampling(request, output);
    const { temperature, topP, topK } = sampling;
    return { members: { temperature, top_p: topP, top_k: topK }, lost };
  },
};

/** Thinking counts towards the limit, and shares a member with the format. */
const OUTPUT: CarriedGroup<"reasoning" | "format" | "maxOutputTokens", MessagesWriting> = {
  fields: { reasoning: true, format: true, maxOutputTokens: true },
  members: ["thinking", "output_config", "output_format", "max_tokens"],
  parse(body) {
    const format = parseFormat(body);
    return {
      values: defined({
        maxOutputTokens: integerOf(body["max_tokens"]),
        format,
        reasoning: parseReasoning(body),
      }),
      rest: restOfFormat(body, format),
    };
  },
  build: (_, { output: { members, maxTokens, lost } }) => ({
    members: { max_tokens: maxTokens, ...members },
    lost,
  }),
};

const CALLER: CarriedGroup<"user" | "metadata", MessagesWriting> = {
  fields: { user: true, metadata: true },
  members: ["metadata"],
  parse: (body) => ({ values: parseMetadata(body) }),
  build: buildMetadata,
};

const TOOLS: CarriedGroup<
  "tools" | "toolChoice" | "webSearch" | "parallelToolCalls",
  MessagesWriting
> = {
  fields: { tools: true, toolChoice: true, webSearch: true, parallelToolCalls: true },
  members: ["tools", "tool_choice"],
  parse(body) {
    const { unknown, ...tools } = parseTools(body);
    const choice = parseToolChoice(body);
    return {
      values: { ...tools, ...choice },
      rest: {
        tools: unknown,
        tool_choice: choice.toolChoice === undefined ? body["tool_choice"] : undefined,
      },
    };
  },
  build: (_, { choosing: { tools, tool_choice, lost = [] } }) => ({
    members: { tools, tool_choice },
    lost,
  }),
};

function penalty<Field extends "presencePenalty" | "frequencyPenalty">(
  as: string,
): LostField<Field> {
  return { lost: { as, unless: (value) => value === 0 } };
}

const FIELDS = {
  temperature: { group: SAMPLING },
  topP: { group: SAMPLING },
  topK: { group: SAMPLING },
  stop: { members: ["stop_sequences"], parse: parseStop, isRebuilt: true, build: buildStop },
  reasoning: { group: OUTPUT },
  format: { group: OUTPUT },
  maxOutputTokens: { group: OUTPUT },
  user: { group: CALLER },
  metadata: { group: CALLER },
  tools: { group: TOOLS },
  toolChoice: { group: TOOLS },
  webSearch: { group: TOOLS },
  parallelToolCalls: { group: TOOLS },
  presencePenalty: penalty("presence_penalty"),
  frequencyPenalty: penalty("frequency_penalty"),
  seed: { lost: { as: "seed" } },
  logprobs: { lost: { as: "logprobs" } },
  imageOptions: { lost: { as: "image_config" } },
  choices: {
    refused: {
      as: "n",
      why: () => "upstreams of the messages style give one answer.",
      unless: (choices) => choices <= 1,
    },
  },
  modalities: {
    refused: {
      as: "modalities",
      why: (asked) =>
        `no upstream of the messages style answers with ${asked.find(isUnreachable) ?? "that"}.`,
      unless: (asked) => !asked.some(isUnreachable),
    },
  },
} satisfies FieldTable<MessagesWriting>;

/** Reads everything of a body apart from its model and its conversation. */
export const readFields = fieldReader(FIELDS, {
  structural: ["model", "messages", "system", "stream"],
});

export const writeFields = fieldWriter<MessagesWriting, Record<string, Json | undefined>>(FIELDS);

function isUnreachable(modality: string): boolean {
  return modality !== "text";
}

export function parseStop(body: JsonObject): readonly string[] | undefined {
  const stop = listOf(body["stop_sequences"]).filter((one) => typeof one === "string");
  return stop.length === 0 ? undefined : stop;
}

/** Blank ones are refused. */
function buildStop(stop: readonly string[]): Built {
  const fit = stop.filter((one) => one.trim() !== "");
  return {
    members: fit.length === 0 ? {} : { stop_sequences: fit },
    lost: fit.length < stop.length ? ["stop"] : [],
  };
}

const USER = new Set(["user_id"]);
const MAX_USER_LENGTH = 256;

function parseMetadata(body: JsonObject): Pick<ChatRequest, "user" | "metadata"> {
  const metadata = objectOf(body["metadata"]);
  return defined({
    user: textOf(metadata?.["user_id"]),
    metadata: metadata === undefined ? undefined : restOf(metadata, USER),
  });
}

function buildMetadata({ user, metadata }: ChatRequest, { raw }: MessagesWriting): Built {
  const asked = defined({ user, metadata });
  const original = preserveOriginal(raw, ["metadata"], asked, parseMetadata);
  if (original !== undefined) return { members: original };
  const isFit = user !== undefined && user.length <= MAX_USER_LENGTH;
  return {
    members: isFit ? { metadata: { user_id: user } } : {},
    lost: [
      ...(metadata === undefined ? [] : ["metadata"]),
      ...(user === undefined || isFit ? [] : ["user"]),
    ],
  };
}
