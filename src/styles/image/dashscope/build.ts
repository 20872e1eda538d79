import { invalid } from "#core/error.ts";
import { promptOf, type ImageRequest } from "#core/image.ts";
import type { OutboundContext } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { checkPictures, linkTo } from "#styles/image/given-pictures.ts";
import { reportUnsaid } from "#styles/image/report-unsaid.ts";
import { sizeFor } from "#styles/image/size-rule.ts";
import { DEFAULT_DIALECT, type DashscopeDialect } from "./dialect.ts";

/** Synchronous response: https://www.alibabacloud.com/help/en/model-studio/qwen-image-api */
export function buildGeneration(question: ImageRequest, context: OutboundContext): JsonObject {
  const dialect = held(question, context);
  const content = contentOf(question, textOf(question, dialect));
  return {
    model: question.model,
    input: { messages: [{ role: "user", content }] },
    parameters: { ...parametersOf(question, dialect), ...unwanted(question) },
  };
}

/**
 * Asynchronous task:
 * https://www.alibabacloud.com/help/en/model-studio/text-to-image-v2-api-reference
 */
export function buildTask(question: ImageRequest, context: OutboundContext): JsonObject {
  const dialect = held(question, context);
  return {
    model: question.model,
    input: { prompt: textOf(question, dialect), ...unwanted(question) },
    parameters: parametersOf(question, dialect),
  };
}

/** The parameters of the model, after the request was validated against them. */
function held(question: ImageRequest, { report, dialect: own }: OutboundContext): DashscopeDialect {
  const dialect: DashscopeDialect = { ...DEFAULT_DIALECT, ...own };
  const { count = 1 } = question;
  checkPictures(question, dialect.pictures);
  if (count > dialect.most) {
    throw invalid("n", `'n' must be ${upTo(dialect.most)} for this model.`);
  }
  reportUnsaid(
    question,
    [
      ...(["size", "watermark", "seed", "negativePrompt"] as const),
      ...(dialect.rewrites === undefined ? [] : (["rewrite"] as const)),
    ],
    report,
  );
  return dialect;
}

function upTo(most: number): string {
  return most === 1 ? "1" : `1 to ${most}`;
}

/** All text of the request in order: this API takes one prompt and no conversation. */
function textOf(question: ImageRequest, { promptChars = Infinity }: DashscopeDialect): string {
  if (question.turns.some(({ role }) => role !== "user")) {
    throw invalid("contents", "'contents' must have only messages of the user for this model.");
  }
  const text = promptOf(question);
  if (text.trim() === "") throw invalid("prompt", "'prompt' is required for this model.");
  holdToLength(text, "prompt", promptChars);
  return text;
}

/** All text stands at the position of its first part. */
function contentOf({ turns }: ImageRequest, text: string): readonly Json[] {
  const parts = turns.flatMap((turn) => turn.parts);
  const first = parts.findIndex((part) => typeof part === "string");
  return parts.flatMap((part, at): readonly Json[] => {
    if (typeof part !== "string") return [{ image: linkTo(part, "oss://") }];
    return at === first ? [{ text }] : [];
  });
}

const NEGATIVE_CHARS = 500;

function unwanted({ negativePrompt }: ImageRequest): JsonObject {
  if (negativePrompt === undefined) return {};
  holdToLength(negativePrompt, "negative_prompt", NEGATIVE_CHARS);
  return { negative_prompt: negativePrompt };
}

/** Counts a character of any script as one, as the vendor does. */
function holdToLength(text: string, param: string, most: number): void {
  const { length } = [...text];
  if (length <= most) return;
  throw invalid(param, `'${param}' must have ${most} characters at most, not ${length}.`);
}

function parametersOf(question: ImageRequest, dialect: DashscopeDialect): JsonObject {
  const { count = 1, seed, watermark = true, rewrite } = question;
  const extend = dialect.rewrites === "usually" ? (rewrite ?? true) : rewrite;
  return {
    n: count,
    ...defined({
      size: sizeOf(question, dialect),
      prompt_extend: dialect.rewrites === undefined ? undefined : extend,
      seed,
    }),
    watermark,
  };
}

function sizeOf({ size }: ImageRequest, { sizes }: DashscopeDialect): string | undefined {
  if (sizes !== undefined) return sizeFor(size, sizes, "*");
  if (size === undefined || size === "auto") return undefined;
  throw invalid("size", "'size' must be omitted: this model uses the shape of the last image.");
}
