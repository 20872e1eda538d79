import type { Json } from "../json.ts";
import type { CachedContent, CachedContents } from "./cached-contents.ts";
import { invalid } from "./error.ts";
import type { Model } from "./models.ts";
import { readOutput, type Output } from "./output.ts";
import { checkGiven } from "./picture-config.ts";
import { continuePrompt, readPrompt, type Prompt } from "./prompt.ts";
import { countPrompt, type PromptTokens } from "./prompt-tokens.ts";
import {
  countTokensRequest,
  generateContentRequest,
  readMessage,
  type GenerateContentMessage,
} from "./proto/requests.ts";
import { readSafety } from "./safety.ts";
import { readSampling, type Sampling } from "./sampling.ts";
import { readContinuation } from "./continuation.ts";
import { readThinking, type Thinking } from "./thinking.ts";

/** A request that the vendor would accept. */
export interface GenerateRequest {
  readonly model: Model;
  readonly prompt: Prompt;
  readonly tokens: PromptTokens;
  readonly cached: CachedContent | undefined;
  readonly sampling: Sampling;
  readonly thinking: Thinking;
  readonly output: Output;
  /** Whether dangerous content is held back. */
  readonly holdsBack: boolean;
  readonly serviceTier: string;
  /** Tokens of the answer that earlier requests brought. */
  readonly saidTokens: number;
}

type Caches = Pick<CachedContents, "find">;

/** Throws the error that the vendor would answer with. */
export function readGenerateRequest(
  body: Json | undefined,
  model: Model,
  caches: Caches,
): GenerateRequest {
  return readGenerate(readMessage(generateContentRequest, body), model, caches, ROOT);
}

/** Tokens of a prompt: of the conversation alone, or of a complete request. */
export function readCountRequest(
  body: Json | undefined,
  model: Model,
  caches: Caches,
): Pick<GenerateRequest, "tokens" | "cached"> {
  const { contents, generateContentRequest: inner } = readMessage(countTokensRequest, body);
  if (inner === undefined) {
    const prompt = readPrompt(contents === undefined ? {} : { contents }, model, COUNT_ROOT);
    return { tokens: countPrompt(prompt), cached: undefined };
  }
  if (contents !== undefined)
    throw invalid("Only one of contents and generate_content_request can be set.");
  if (inner.model !== undefined && inner.model.replace(/^models\//, "") !== model.id) {
    throw invalid(
      `The model of the generate_content_request (${inner.model}) has to be that of the request (models/${model.id}).`,
    );
  }
  return readGenerate(inner, model, caches, `${COUNT_ROOT}.generate_content_request`);
}

const ROOT = "GenerateContentRequest";
const COUNT_ROOT = "CountTokensRequest";

function readGenerate(
  message: GenerateContentMessage,
  model: Model,
  caches: Caches,
  root: string,
): GenerateRequest {
  const { cachedContent, generationConfig: config = {}, serviceTier = "STANDARD" } = message;
  if (cachedContent !== undefined && model.isStrict)
    throw invalid(`CachedContent is not supported for models/${model.id}.`);
  const cached = cachedContent === undefined ? undefined : caches.find(cachedContent, model);
  const prompt =
    cached === undefined
      ? readPrompt(message, model, root)
      : continuePrompt(cached.prompt, message, model, root);
  const output = readOutput(config, model, root);
  checkGiven(prompt.contents, model);
  checkTools(prompt, config.responseMimeType ?? "text/plain", model);
  const request = {
    model,
    prompt,
    cached,
    output,
    sampling: readSampling(config, model, root),
    thinking: readThinking(config.thinkingConfig, model),
    ...readSafety(message.safetySettings, root),
    serviceTier: serviceTier === "UNSPECIFIED" ? "standard" : serviceTier.toLowerCase(),
    tokens: countPrompt(prompt),
  };
  checkSize(request.tokens, model);
  const saidTokens = readContinuation(message.continuationToken, model, prompt);
  return { ...request, saidTokens };
}

/** Before the third generation an answer is either in a form or with tools. */
function checkTools({ tools }: Prompt, type: string, { generation }: Model): void {
  if (generation === "3" || type === "text/plain") return;
  if (tools.functions.length > 0)
    throw invalid(`Function calling with a response mime type: '${type}' is unsupported`);
  if (tools.searches || tools.runsCode || tools.readsUrls)
    throw invalid(`Tool use with a response mime type: '${type}' is unsupported`);
}

function checkSize({ total }: PromptTokens, { inputTokens }: Model): void {
  if (total <= inputTokens) return;
  throw invalid(
    `The input token count (${total}) exceeds the maximum number of tokens allowed (${inputTokens}).`,
  );
}
