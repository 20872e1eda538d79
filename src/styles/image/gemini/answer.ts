import { GatewayError } from "#core/error.ts";
import type { ImageRequest, Images, MadePicture } from "#core/image.ts";
import type { Usage } from "#core/usage.ts";
import { isArray, isObject, type JsonObject } from "#lib/json.ts";
import { defined, listOf, longTextOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { scrub } from "#styles/scrub.ts";
import { asGatewayError, blocked, blockIn, errorIn } from "#styles/text/gemini/failure.ts";
import { parseFinish, reasonIn } from "#styles/text/gemini/finish.ts";
import { parseUsage } from "#styles/text/gemini/usage.ts";

/** The images among the parts, without drafts that the model made while reasoning. */
export function parse(body: JsonObject, question: ImageRequest): Images {
  const error = errorIn(body);
  if (error !== undefined) throw asGatewayError(error);
  const block = blockIn(body);
  if (block !== undefined) throw blocked(block);
  const candidates = listOf(body["candidates"]).filter(isObject);
  const parts = candidates.flatMap(partsOf).filter((part) => part["thought"] !== true);
  const words = parts.map((part) => textOf(part["text"]) ?? "").join("");
  const revisedPrompt = question.withText === true && words !== "" ? words : undefined;
  const pictures = parts.flatMap((part) => {
    const picture = pictureIn(part);
    return picture === undefined ? [] : [{ ...picture, ...defined({ revisedPrompt }) }];
  });
  if (pictures.length === 0) throw noPicture(candidates[0], words);
  const usage = usageIn(body);
  const createdAt = Math.floor(Date.parse(textOf(body["createTime"]) ?? "") / 1_000);
  return {
    pictures,
    ...defined({ usage, createdAt: createdAt > 0 ? createdAt : undefined }),
  };
}

/** Images have a separate price; without a breakdown by token type, all output counts as images. */
function usageIn(body: JsonObject): Usage | undefined {
  const usage = parseUsage(body["usageMetadata"]);
  if (usage === undefined || usage.imageOutputTokens !== undefined) return usage;
  return { ...usage, imageOutputTokens: usage.outputTokens - usage.reasoningTokens };
}

function partsOf(candidate: JsonObject): readonly JsonObject[] {
  const { parts } = objectOf(candidate["content"]) ?? {};
  return (isArray(parts) ? parts : [parts ?? null]).filter(isObject);
}

function pictureIn(part: JsonObject): MadePicture | undefined {
  const mediaType = textOf(memberOf(part["inlineData"], "mimeType")) ?? "";
  const base64 = longTextOf(memberOf(part["inlineData"], "data")) ?? "";
  return mediaType.startsWith("image/") && base64 !== "" ? { base64, mediaType } : undefined;
}

/** A model that explains in text why it made no image would do so again: do not retry. */
function noPicture(candidate: JsonObject | undefined, words: string): GatewayError {
  const reason = reasonIn(candidate?.["finishReason"]);
  if (candidate === undefined || reason === undefined) {
    return new GatewayError("upstream_failed", "The upstream's answer has no image.");
  }
  const said = textOf(candidate["finishMessage"]) ?? words;
  const why = said === "" ? reason : `${reason}: ${scrub(said)}`;
  const isFiltered = parseFinish(reason, false) === "content_filter";
  return new GatewayError(
    isFiltered ? "content_filtered" : "upstream_rejected",
    `The upstream's model returned no image: ${why}`,
  );
}
