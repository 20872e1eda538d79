import type { Images, MadePicture } from "#core/image.ts";
import type { UpstreamError } from "#core/style.ts";
import { usageOf } from "#core/usage.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, memberOf, textOf } from "#lib/values.ts";
import { noPicture } from "#styles/image/no-picture.ts";
import { asGatewayError, explainInside, isFilled } from "#styles/upstream-error.ts";
import { VOCABULARY } from "#styles/vocabulary/dashscope.ts";

/** A synchronous response has the images in a message, a task has them in a list. */
export function parse(body: JsonObject): Images {
  const { output, usage } = body;
  const choices = listOf(memberOf(output, "choices"));
  const content = choices.flatMap((each) => listOf(memberOf(memberOf(each, "message"), "content")));
  const results = listOf(memberOf(output, "results"));
  const size = sizeIn(usage);
  const pictures = [...content.map(shownIn), ...results.map(drawnIn)]
    .filter((each) => each !== undefined)
    .map((each) => ({ ...each, ...defined({ size }) }));
  const failures = results.map(failureIn).filter((each) => each !== undefined);
  if (pictures.length === 0) throw whyNone(body, failures);
  return { pictures, failures, ...defined({ usage: tokensIn(usage) }) };
}

/** The id of an unfinished task. */
export function pendingIn({ output }: JsonObject): string | undefined {
  const status = textOf(memberOf(output, "task_status"));
  return UNDER_WAY.has(status) ? textOf(memberOf(output, "task_id")) : undefined;
}

const UNDER_WAY: ReadonlySet<string | undefined> = new Set(["PENDING", "RUNNING", "SUSPENDED"]);
const GIVEN_UP: ReadonlySet<string | undefined> = new Set(["FAILED", "CANCELED", "UNKNOWN"]);

function shownIn(part: Json): MadePicture | undefined {
  const url = textOf(memberOf(part, "image")) || undefined;
  return url === undefined ? undefined : { url };
}

function drawnIn(result: Json): MadePicture | undefined {
  const url = textOf(memberOf(result, "url")) || undefined;
  if (url === undefined) return undefined;
  return { url, ...defined({ revisedPrompt: textOf(memberOf(result, "actual_prompt")) }) };
}

function failureIn(entry: Json | undefined): UpstreamError | undefined {
  return isObject(entry) && isFilled(entry["code"]) ? explainInside(entry, VOCABULARY) : undefined;
}

/** The error of an image, of the task, or of a response with a success status. */
function whyNone(body: JsonObject, [first]: readonly UpstreamError[]): Error {
  const failure = first ?? failureIn(body["output"]) ?? failureIn(body);
  if (failure !== undefined) return asGatewayError(failure);
  const hasGivenUp = GIVEN_UP.has(textOf(memberOf(body["output"], "task_status")));
  if (!hasGivenUp) return noPicture();
  return asGatewayError(explainInside({ message: "The upstream aborted its task." }));
}

/** The size of all images. */
function sizeIn(usage: Json | undefined): string | undefined {
  const width = integerOf(memberOf(usage, "width"));
  const height = integerOf(memberOf(usage, "height"));
  return width === undefined || height === undefined ? undefined : `${width}x${height}`;
}

/** Most models count images only. */
function tokensIn(usage: Json | undefined) {
  const inputTokens = memberOf(usage, "input_tokens");
  return usageOf({ inputTokens, outputTokens: memberOf(usage, "output_tokens") });
}
