import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { isJsonObject, parseJson, type JsonObject } from "../json.ts";
import type { Faults } from "../faults/faults.ts";
import type { Candidate } from "./candidate.ts";
import { invalid } from "./error.ts";
import type { Model } from "./models.ts";
import { portionsOf, type Portion } from "./portions.ts";
import type { Prompt } from "./prompt.ts";
import { promptText } from "./prompt-tokens.ts";
import type { Bytes } from "./proto/scalars.ts";
import type { GenerateRequest } from "./request.ts";

/** Tokens that the requests before this one brought; the rest of the body has to be theirs. */
export function readContinuation(token: Bytes | undefined, model: Model, prompt: Prompt): number {
  if (token === undefined) return 0;
  if (model.perRequest === undefined)
    throw invalid(`Continuation token is not supported for models/${model.id}.`);
  const body = token.bytes.subarray(0, -SEAL_BYTES);
  const seal = token.bytes.subarray(-SEAL_BYTES);
  const isTrue = body.length > 0 && timingSafeEqual(sealOf(body), seal);
  const said = isTrue ? parseJson(Buffer.from(body).toString()) : undefined;
  if (!isJsonObject(said) || typeof said["at"] !== "number")
    throw invalid("Invalid continuation token.");
  if (said["of"] !== digestOf(prompt))
    throw invalid("The continuation token does not belong to this request.");
  return said["at"];
}

/** The share of an answer that one request brings, and how that share ends. */
export class Hop {
  readonly #candidate: Candidate;
  readonly #request: GenerateRequest;
  readonly #faults: Faults;
  readonly #limit: number;
  #at = 0;
  #goesOn = false;

  constructor(candidate: Candidate, request: GenerateRequest, faults: Faults, limit: Limit) {
    this.#candidate = candidate;
    this.#request = request;
    this.#faults = faults;
    const { perRequest } = request.model;
    const ordered = faults.hop?.tokens ?? perRequest?.[limit] ?? Infinity;
    this.#limit = perRequest === undefined ? Infinity : ordered;
  }

  *portions(): Generator<Portion> {
    const from = this.#request.saidTokens;
    let brought = 0;
    for (const portion of portionsOf(this.#candidate, this.#faults)) {
      const tokens = portion.thoughts + portion.answer;
      if (this.#at < from) {
        this.#at += tokens;
        continue;
      }
      if (brought >= this.#limit) {
        this.#goesOn = true;
        return;
      }
      brought += tokens;
      this.#at += tokens;
      yield portion;
    }
  }

  get goesOn(): boolean {
    return this.#goesOn;
  }

  /** What stands beside the parts when the share is at its end. An answer cut by its own limit may go on under a higher one. */
  ending(closing: JsonObject): JsonObject {
    if (this.#goesOn) return { finishReason: "CONTINUATION", continuationToken: this.#token() };
    const isCut =
      closing["finishReason"] === "MAX_TOKENS" && this.#request.model.perRequest !== undefined;
    return isCut ? { ...closing, continuationToken: this.#token() } : closing;
  }

  #token(): string {
    const said = { at: this.#at, of: digestOf(this.#request.prompt) };
    const body = Buffer.from(JSON.stringify(said));
    return Buffer.concat([body, sealOf(body)]).toString("base64");
  }
}

type Limit = "streamedTokens" | "wholeTokens";

function digestOf(prompt: Prompt): string {
  return createHash("sha256").update(promptText(prompt)).digest("base64url");
}

const SEAL_BYTES = 32;

function sealOf(body: Uint8Array): Uint8Array {
  return createHmac("sha256", "a seal of continuations").update(body).digest();
}
