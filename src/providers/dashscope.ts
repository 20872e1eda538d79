import { LossReport } from "#core/lossy.ts";
import type { BodyEdits } from "#core/style.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { embeddings } from "#styles/embedding/openai/index.ts";
import { BodyEditor, NO_LOSS } from "#styles/text/body-editor.ts";
import { adaptToDialect, type ChatDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { DASHSCOPE_IMAGES } from "./dashscope-images.ts";
import { DASHSCOPE_VIDEOS, DASHSCOPE_VIDEO_MODELS } from "./dashscope-videos.ts";
import { bearer, type Provider, type TextEndpoint } from "./provider.ts";
import { DASHSCOPE_RERANK } from "./rerank-endpoints.ts";

const DIALECT: ChatDialect = {
  developerRole: false,
  maxCompletionTokens: false,
  reasoning: "switch",
  jsonHint: true,
  forcedToolsWhileReasoning: false,
  formatsWhileReasoning: false,
  webSearch: { as: "switch" },
  topK: true,
  // https://www.alibabacloud.com/help/en/model-studio/qwen-function-calling
  callsInParallel: false,
};

/** From 3.8 on, models support effort levels, and reason in non-streaming responses. */
const GRADED: ChatDialect = { ...DIALECT, reasoning: "any" };
const IS_GRADED = /^qwen(3\.[89]|[4-9])/;

/** Drops earlier reasoning unless the request tells the vendor to keep it. */
const KEEPS_REASONING: Partial<ChatDialect> = {
  reasoningBack: "text",
  keepsReasoning: {
    by: { preserve_thinking: true },
    models: /^(qwen3\.6-(plus|max)|qwen3\.[7-9]|qwen[4-9]|kimi-k2\.7)/,
  },
};

function endpoint(own: ChatDialect, serves?: (model: string) => boolean): TextEndpoint {
  const dialect = { ...own, ...KEEPS_REASONING };
  return {
    style: chat,
    path: "/chat/completions",
    isFaithful: true,
    ...(serves === undefined ? {} : { serves }),
    dialect: { ...dialect },
    streamsOnly: (model) => STREAMS_ONLY.test(model),
    adaptRequest(body, model, report) {
      const edits = { ...adaptToDialect(body, dialect), ...flattened(body) };
      const flat = { ...body, ...edits };
      const isGraded = dialect.reasoning === "any";
      const switches = isGraded ? {} : switched(flat, model, report);
      return { ...edits, ...withinBounds(flat["top_p"]), ...switches };
    },
  };
}

/**
 * Model Studio's compatible mode takes the model family's own parameters at the top level, and
 * refuses reasoning for responses that are not streamed.
 */
export const dashscope: Provider = {
  id: "dashscope",
  name: "Alibaba Cloud Model Studio",
  prefixes: ["qwen"],
  docs: "https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope",
  baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
  keyVariable: "DASHSCOPE_API_KEY",
  needsKey: true,
  text: [endpoint(GRADED, (model) => IS_GRADED.test(model)), endpoint(DIALECT)],
  embeddings: [{ style: embeddings, path: "/embeddings", maxInputs: 10 }],
  rerank: [DASHSCOPE_RERANK],
  images: DASHSCOPE_IMAGES,
  videos: DASHSCOPE_VIDEOS,
  modelsPath: "/models",
  models: DASHSCOPE_VIDEO_MODELS,
  authorize: bearer,
};

/**
 * Members that choose the kind of call instead of generation; the gateway always streams
 * incrementally.
 */
const NOT_PARAMETERS = new Set(["stream", "stream_options", "n", "incremental_output"]);

function flattened(body: JsonObject): BodyEdits {
  const { parameters } = body;
  if (parameters === undefined) return {};
  const names = Object.keys(isObject(parameters) ? parameters : {});
  const moved = names.filter((name) => !NOT_PARAMETERS.has(name) && (body[name] ?? null) === null);
  return {
    parameters: undefined,
    ...Object.fromEntries(
      moved.map((name) => [name, isObject(parameters) ? parameters[name] : null]),
    ),
  };
}

/** The vendor excludes both ends of the range. */
function withinBounds(topP: JsonObject[string] | undefined): BodyEdits {
  if (typeof topP !== "number" || (topP > 0 && topP < 1)) return {};
  return { top_p: topP <= 0 ? 0.001 : 0.999 };
}

const STREAMS_ONLY = /^(qwq|qvq)/;
/** These models always reason, and refuse a request that switches it on. */
const ONLY_REASON = /^(qwq|qvq)|-thinking(-|$)/;
const REASON_BY_DEFAULT = /^qwen3(\.\d|-\d+(\.\d+)?b)(?!.*-instruct)/;

/** What the vendor refuses of the switch; a client that set it is told what it did not get. */
function switched(body: JsonObject, model: string, report = new LossReport()): BodyEdits {
  const asked = body[SWITCH] ?? undefined;
  const editor = new BodyEditor(body, report);
  if (ONLY_REASON.test(model)) {
    editor.remove(SWITCH, asked === false ? SWITCH : NO_LOSS);
  } else if (body["stream"] !== true) {
    const reasons = asked === true || (asked === undefined && REASON_BY_DEFAULT.test(model));
    if (reasons) editor.set(SWITCH, false, asked === true ? SWITCH : NO_LOSS);
  }
  return editor.edits;
}

const SWITCH = "enable_thinking";
