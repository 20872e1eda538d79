/** What a vendor says of a request that it refused. */
interface Refusal {
  /** In small letters: codes and types. */
  readonly words: readonly string[];
  readonly message: string;
  readonly param: string | undefined;
}

/**
 * The member of the request that a vendor refuses by its name, as in
 * `temperature` or `thinking.display`. Names in lists are not told:
 * they belong to what the caller said, not to how it is to be answered.
 * The sentences are those of OpenAI, Anthropic, Gemini and of servers that
 * check with pydantic, as of 2026-11-23.
 */
export function refusedMember({ words, message, param }: Refusal): string | undefined {
  const isNamed =
    words.some((word) => CODES.has(word)) || SAYS_SO.some((said) => said.test(message));
  const named = isNamed && param !== undefined ? param : memberIn(message);
  return named !== undefined && DOTTED.test(named) ? named : undefined;
}

const CODES: ReadonlySet<string> = new Set(["unsupported_parameter", "unknown_parameter"]);

/** Of a parameter that stands beside the sentence. */
const SAYS_SO = [
  /extra inputs are not permitted/i,
  /only the default \([^)]*\) value is supported/i,
];

const NAMING = [
  /unsupported parameter: '([^']+)'/i,
  /unknown parameter: '([^']+)'/i,
  /unrecognized request arguments? supplied: ([\w.]+)/i,
  /^`?([\w.]+)`?: extra inputs are not permitted/i,
  /^`([\w.]+)` is (?:deprecated|not supported)/i,
  /^unsupported value: '([^']+)' does not support .* only the default/i,
];
/** Names what holds the member second. */
const NAMING_WITHIN = /unknown name "(\w+)"(?: at '([\w.]+)')?/i;

function memberIn(message: string): string | undefined {
  const [, name, within] = NAMING_WITHIN.exec(message) ?? [];
  if (name !== undefined) return within === undefined ? name : `${within}.${name}`;
  return NAMING.map((sentence) => sentence.exec(message)?.[1]).find((found) => found !== undefined);
}

/** No places in lists: neither `tools[0].x` nor `messages.0.x`. */
const DOTTED = /^[a-z_]\w{0,63}(?:\.[a-z_]\w{0,63}){0,3}$/i;
