import { invalid } from "#core/error.ts";
import { promptOf, type ImageRequest } from "#core/image.ts";
import type { OutboundContext } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { checkPictures, linkTo } from "#styles/image/given-pictures.ts";
import { reportUnsaid } from "#styles/image/report-unsaid.ts";
import { sizeFor } from "#styles/image/size-rule.ts";
import { DEFAULT_DIALECT, type DashscopeDialect } from "./dialect.ts";

/** Answered at once: https://www.alibabacloud.com/help/en/model-studio/qwen-image-api */
export function buildGeneration(question: ImageRequest, context: OutboundContext): JsonObject {
  const dialect = held(question, context);
  const content = contentOf(question, textOf(question, dialect));
  return {
    model: question.model,
    input: { messages: [{ role: "user", content }] },
    parameters: { ...parametersOf(question, dialect), ...unwanted(question) },
  };
}

/** Answered by a task: https://www.alibabacloud.com/help/en/model-studio/text-to-image-v2-api-reference */
export function buildTask(question: ImageRequest, context: OutboundContext): JsonObject {
  const dialect = held(question, context);
  return {
    model: question.model,
    input: { prompt: textOf(question, dialect), ...unwanted(question) },
    parameters: parametersOf(question, dialect),
  };
}

/** What the model can be told, after the question was held to it. */
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

/** All that was said, in its order: there is one text, and there are no conversations here. */
function textOf(question: ImageRequest, { promptChars = Infinity }: DashscopeDialect): string {
  if (question.turns.some(({ role }) => role !== "user")) {
    throw invalid("contents", "'contents' must be the user's alone for this model.");
  }
  const text = promptOf(question);
  if (text.trim() === "") throw invalid("prompt", "'prompt' is required for this model.");
  holdToLength(text, "prompt", promptChars);
  return text;
}

/** All words stand where the first of them did. */
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

/** One is a character in any script, as the vendor counts. */
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
  throw invalid(
    "size",
    "'size' must be left out: this model keeps to the shape of the last image.",
  );
}
