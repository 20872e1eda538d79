import type { JSONObject, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import type { OutputFormat } from "#core/chat.ts";
import type { ModelTraits } from "#core/model.ts";
import { defined } from "#lib/values.ts";
import {
  fieldWriter,
  type WrittenGroup,
  type WrittenTable,
  type Writing,
} from "#styles/text/request-fields.ts";
import { choosesSearch } from "#styles/text/search-choice.ts";
import { asksInWords } from "./json-in-words.ts";
import type { CallOptions } from "./options-out.ts";
import type { Terms } from "./place.ts";
import type { Asked } from "./reasoning-out.ts";
import { fitSampling } from "./settings-out.ts";
import { choiceOf, onlyDeclares, toolsOf } from "./tools-out.ts";

/** The package and its model, for the rows. */
interface OptionsWriting extends Writing, Terms {
  readonly model: ModelTraits;
  /** Planned before the rest, because thinking may count towards the limit. */
  readonly reasoning: Asked;
}

/** Options that the rows write. */
export type FieldOptions = { -readonly [Name in keyof CallOptions]?: CallOptions[Name] };

/** The fewest tokens that thinking leaves for the answer. */
const MIN_SAID = 1;

const SAMPLING: WrittenGroup<
  "temperature" | "topP" | "topK" | "presencePenalty" | "frequencyPenalty" | "seed",
  OptionsWriting,
  FieldOptions
> = {
  fields: {
    temperature: true,
    topP: true,
    topK: true,
    presencePenalty: true,
    frequencyPenalty: true,
    seed: true,
  },
  build(request, { model, reasoning }) {
    const { sampling, lost } = fitSampling(request, model, reasoning.spends !== undefined);
    return { members: sampling, lost };
  },
};

/** Fields that each package has its own options for. */
const OWN_OPTIONS: WrittenGroup<
  "reasoning" | "user" | "parallelToolCalls",
  OptionsWriting,
  FieldOptions
> = {
  fields: { reasoning: true, user: true, parallelToolCalls: true },
  build({ user, parallelToolCalls, tools }, { traits, reasoning }) {
    const isSerial = parallelToolCalls === false;
    const own: JSONObject = {
      ...reasoning.options,
      ...(user === undefined ? {} : traits.user?.(user)),
      ...(isSerial && tools !== undefined ? traits.oneCallAtATime : {}),
    };
    return {
      members: defined({
        providerOptions: Object.keys(own).length === 0 ? undefined : { [traits.key]: own },
        reasoning: reasoning.effort,
      }),
      lost: [
        ...(reasoning.lost ?? []),
        ...(user !== undefined && traits.user === undefined ? ["user"] : []),
        ...(isSerial && traits.oneCallAtATime === undefined ? ["parallel_tool_calls"] : []),
      ],
    };
  },
};

const TOOLS: WrittenGroup<"tools" | "toolChoice", OptionsWriting, FieldOptions> = {
  fields: { tools: true, toolChoice: true },
  build(request, context) {
    const { tools, lost = [] } = toolsOf(request, context);
    if (tools.length === 0) return { members: {}, lost };
    if (choosesSearch(request)) return { members: { tools }, lost: [...lost, "tool_choice"] };
    const choice = onlyDeclares(request, context.traits) ? undefined : choiceOf(request.toolChoice);
    return { members: { tools, ...defined({ toolChoice: choice }) }, lost };
  },
};

const FIELDS = {
  logprobs: { lost: { as: "logprobs" } },
  imageOptions: { lost: { as: "image_config" } },
  webSearch: { lost: { as: "web_search_options" } },
  metadata: { lost: { as: "metadata" } },
  reasoning: { group: OWN_OPTIONS },
  user: { group: OWN_OPTIONS },
  parallelToolCalls: { group: OWN_OPTIONS },
  temperature: { group: SAMPLING },
  topP: { group: SAMPLING },
  topK: { group: SAMPLING },
  presencePenalty: { group: SAMPLING },
  frequencyPenalty: { group: SAMPLING },
  seed: { group: SAMPLING },
  // Callers limit all output; some packages limit the answer without its thinking.
  maxOutputTokens: {
    build(limit, { model: { maxOutputTokens: most = Infinity }, reasoning: { spends = 0 } }) {
      const maxOutputTokens = Math.max(MIN_SAID, Math.min(limit, most) - spends);
      return { members: { maxOutputTokens }, lost: limit > most ? ["max_tokens"] : [] };
    },
  },
  stop: { build: (stop) => ({ members: { stopSequences: [...stop] } }) },
  format: {
    build: (format, { traits }) => ({
      members: asksInWords(format, traits) ? {} : defined({ responseFormat: formatOf(format) }),
    }),
  },
  tools: { group: TOOLS },
  toolChoice: { group: TOOLS },
  choices: {
    refused: {
      as: "n",
      why: () => "this upstream gives one answer.",
      unless: (choices) => choices <= 1,
    },
  },
  // Models that draw do so unasked.
  modalities: {
    refused: {
      as: "modalities",
      why: () => "this upstream does not speak.",
      unless: (modalities) => !modalities.includes("audio"),
    },
  },
} satisfies WrittenTable<OptionsWriting, FieldOptions>;

export const writeFields = fieldWriter<OptionsWriting, FieldOptions>(FIELDS);

function formatOf(format: OutputFormat): LanguageModelV3CallOptions["responseFormat"] {
  switch (format.type) {
    case "text":
      return undefined;
    case "json":
      return { type: "json" };
    case "json_schema": {
      const { name, description, schema } = format;
      return { type: "json", name, ...defined({ description, schema }) };
    }
  }
}
