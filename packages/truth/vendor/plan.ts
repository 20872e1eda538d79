/**
 * What the vendor does with a call. The caller writes it into its prompt, so that
 * it reaches the vendor through any gateway, without a header or a field that the
 * gateway might drop.
 */
export interface Plan {
  /** Of this call; the vendor's record of the call has it. */
  readonly id: string;
  /** Tokens of the answer; one a chunk, if the answer is streamed. */
  readonly tokens: number;
  /** Before the answer, and between two chunks of a stream. */
  readonly pauseMs?: number;
  /** Refused, as vendors refuse one prompt and no other. */
  readonly isRefused?: boolean;
  /** Bytes of each chunk of a stream, instead of one token. */
  readonly chunkBytes?: number;
}

/**
 * Tokens that the vendor counts for each prompt that has a plan. Prompts are filled
 * up to about this length, so that a gateway that counts itself comes close.
 */
export const PROMPT_TOKENS = 100;
/** Difference between tokenizers, and between plans. */
export const PROMPT_TOLERANCE = 15;

/** A word that each tokenizer of GPT models counts as one token, after a space. */
export const TOKEN = " the";

const MARK = "Plan of this call: ";
/** A plan has about 33 tokens, the frame of a chat about 7. */
const FILLING = TOKEN.repeat(60).trim();

export function promptOf(plan: Plan): string {
  return `${FILLING} ${MARK}${JSON.stringify(plan)}`;
}

/** The plan within a request's text; undefined if it has none. */
export function planIn(prompt: string): Plan | undefined {
  const start = prompt.indexOf(MARK);
  if (start < 0) return undefined;
  return JSON.parse(prompt.slice(start + MARK.length)) as Plan;
}
