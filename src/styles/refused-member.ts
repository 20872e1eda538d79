/** A vendor's error for a request that it refused. */
interface Refusal {
  /** Codes and types, in lower case. */
  readonly words: readonly string[];
  readonly message: string;
  readonly param: string | undefined;
}

/**
 * The request member that a vendor's error names, such as `temperature` or `thinking.display`.
 * Members within lists are ignored: they are content of the client, not options. The patterns are
 * those of OpenAI, Anthropic, Gemini and of servers that validate with pydantic, as of 2026-11-23.
 */
export function refusedMember({ words, message, param }: Refusal): string | undefined {
  const isNamed =
    words.some((word) => CODES.has(word)) || SAYS_SO.some((said) => said.test(message));
  const named = isNamed && param !== undefined ? param : memberIn(message);
  return named !== undefined && DOTTED.test(named) ? named : undefined;
}

const CODES: ReadonlySet<string> = new Set(["unsupported_parameter", "unknown_parameter"]);

/** Messages of errors with a separate parameter name. */
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
/** This message names the containing object second. */
const NAMING_WITHIN = /unknown name "(\w+)"(?: at '([\w.]+)')?/i;

function memberIn(message: string): string | undefined {
  const [, name, within] = NAMING_WITHIN.exec(message) ?? [];
  if (name !== undefined) return within === undefined ? name : `${within}.${name}`;
  return NAMING.map((sentence) => sentence.exec(message)?.[1]).find((found) => found !== undefined);
}

/** No list positions: neither `tools[0].x` nor `messages.0.x`. */
const DOTTED = /^[a-z_]\w{0,63}(?:\.[a-z_]\w{0,63}){0,3}$/i;
