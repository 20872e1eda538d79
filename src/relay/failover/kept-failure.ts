import type { VendorFailure } from "#core/error.ts";
import type { Body } from "#lib/pieces.ts";
import { isKnownFailureWord } from "#styles/failure-code.ts";
import { scrub } from "#styles/scrub.ts";

/** The part of a vendor's error that the journal stores. */
type KeptFailure = Pick<VendorFailure, "code" | "type" | "reason">;

/** A longer request is not searched for each word of a response. */
const MAX_SENT_CHARS = 1024 * 1024;
const REMOVED = "…";

/**
 * A vendor's error without quotes of the request, because the journal stores no content. `sent`:
 * the request body; without text to compare, only codes that all vendors share are kept.
 */
export function keptFailure(
  { code, type, reason }: VendorFailure,
  model: string,
  sent: Body | undefined,
): KeptFailure | undefined {
  const text = typeof sent === "string" ? sent : undefined;
  const searched = text === undefined ? undefined : searchable(text);
  const isOwn = (word: string): boolean =>
    isKnownFailureWord(word.toLowerCase()) ||
    (searched !== undefined && !searched.includes(word.toLowerCase()));
  const kept = {
    ...(code !== undefined && isOwn(code) ? { code } : {}),
    ...(type !== undefined && isOwn(type) ? { type } : {}),
    ...(reason === undefined || searched === undefined || searched.length > MAX_SENT_CHARS
      ? {}
      : { reason: withoutRepeated(scrub(reason), model, searched) }),
  };
  return Object.keys(kept).length === 0 ? undefined : kept;
}

/**
 * In lower case, and without escape sequences that hide a word. The text is not parsed, since that
 * would drop a field that is sent twice, of which the vendor may read either.
 */
function searchable(sent: string): string {
  return sent
    .replaceAll(ESCAPES, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .toLowerCase();
}

const ESCAPES = /\\u([\da-f]{4})/gi;

/**
 * Common words of errors and names of documented fields are kept, even if the request contains
 * them.
 */
function withoutRepeated(reason: string, model: string, searched: string): string {
  const withoutWords = (text: string): string =>
    text.replaceAll(PIECES, (piece) => {
      const small = piece.toLowerCase();
      return COMMON.has(small) || !searched.includes(small) ? piece : REMOVED;
    });
  // The journal contains the model's name anyway.
  return model === "" ? withoutWords(reason) : reason.split(model).map(withoutWords).join(model);
}

/** Letters and digits of any language; shorter pieces carry no information. */
const PIECES = /[\p{L}\p{N}_]{3,}/gu;

const COMMON: ReadonlySet<string> = new Set(
  // Words of errors.
  (
    "the and for with not this that was were has have had can cannot could should must may are but " +
    "you your our its from into than then when where which while only also one two out per use used using uses " +
    "error errors invalid unsupported unknown missing required requires expected unexpected received found " +
    "failed failure fails exceeds exceeded exceed limit limits limited maximum minimum max min too large long " +
    "short small many few more less least most value values field fields parameter parameters member argument " +
    "arguments request requests requested response responses message messages model models token tokens context " +
    "length window input inputs output outputs prompt content contents text image images audio video file files " +
    "document documents tool tools function functions call calls schema json format type types object array " +
    "string number integer boolean null true false name names key keys role system user assistant developer " +
    "organization project account credit credits balance quota billing plan rate minute second day month " +
    "please try again later support supported supports supply provide provided enable enabled disable disabled " +
    "allowed allow permission permitted denied deny refused rejected access available unavailable exist exists " +
    "does did been being either neither instead because since until before after other another same such each " +
    "verified verify must_be header body query path url base size bytes pixels dimension dimensions width height " +
    "count item items index block blocks part parts turn turns last first next previous level code status " +
    "server client internal overloaded timeout timed busy stream streaming beta feature thinking reasoning " +
    // Names of documented fields.
    "max_tokens max_completion_tokens max_output_tokens temperature top_p top_k stop seed logprobs top_logprobs " +
    "logit_bias presence_penalty frequency_penalty response_format tool_choice tool_calls tool_call_id " +
    "parallel_tool_calls reasoning_effort reasoning_content service_tier stream_options include_usage metadata " +
    "store safety_identifier prompt_cache_key instructions previous_response_id truncation include verbosity " +
    "json_schema json_object strict additionalProperties properties description enum anyOf image_url input_text " +
    "input_image input_file source base64 media_type tool_use tool_result tool_use_id thinking_budget " +
    "budget_tokens cache_control stop_sequences anthropic_version output_config effort generationConfig " +
    "maxOutputTokens topP topK candidateCount stopSequences responseMimeType responseSchema systemInstruction " +
    "functionDeclarations functionCall functionResponse thinkingConfig thinkingBudget thinkingLevel " +
    "thoughtSignature safetySettings inlineData fileData fileUri mimeType cachedContent enable_thinking " +
    "dimensions encoding_format input_type texts query top_n size quality background style resolution duration"
  )
    .toLowerCase()
    .split(" "),
);
