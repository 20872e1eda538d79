import type { Prompt } from "../prompt.ts";

/** "Reply with exactly: X", "Say: X", "Repeat after me: X": all that follows, line breaks included. */
export function dictatedText(text: string): string | undefined {
  const found = firstGroup(text, DICTATIONS)?.trim();
  return found === undefined || found === "" ? undefined : unquoted(found);
}

/** "Respond only with the word X", "Say X": the rest of the sentence, without the quotes around it. */
export function followExactly({ text }: Pick<Prompt, "text">): string | undefined {
  const found = firstGroup(text, ORDERS);
  const line = found === undefined ? "" : withoutQuotes(found);
  return line === "" ? undefined : line;
}

function firstGroup(text: string, patterns: readonly RegExp[]): string | undefined {
  for (const pattern of patterns) {
    const found = text.match(pattern)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

const START = String.raw`(?:^|[.!?,;:\n]\s{0,20}|\b(?:please|just|then|and|always|only|now)\s+)`;
const STRICTLY = String.raw`(?:exactly|only|just|precisely|verbatim)`;
const REPLY = String.raw`(?:reply|respond|answer)(?:\s+with)?\s+${STRICTLY}(?:\s+with)?`;
const THING = String.raw`\s+(?:the|this)(?:\s+(?:exact|single|following|one))*\s+(?:words?|phrase|text|string|sentence|line|message|json)`;
const ALONE = String.raw`(?:\s+and\s+nothing\s+(?:else|more))?`;
const POINTER = String.raw`(?:${THING}|\s+the following|\s+this)?${ALONE}`;
/** "Reply with only the number" describes the answer, it does not dictate it. */
const DESCRIPTION = String.raw`(?:the|an?|one|your|valid|json|in|with|yes or no|numbers?)\b`;
const SAY = String.raw`(?:(?:can|could|would) you )?(?:${STRICTLY}\s+)?say(?:\s+${STRICTLY})?`;

const DICTATIONS: readonly RegExp[] = [
  String.raw`${START}${REPLY}${POINTER}\s*:\s*([^]+)`,
  String.raw`${START}(?:reply|respond|answer)\s+with${POINTER}\s*:\s*([^]+)`,
  String.raw`${START}(?:${STRICTLY}\s+)?repeat after me\s*:?\s*([^]+)`,
  String.raw`${START}${SAY}${POINTER}\s*:\s*([^]+)`,
].map((source) => new RegExp(source, "i"));

const ORDERS: readonly RegExp[] = [
  String.raw`${START}${REPLY}(?:${THING})\s+(.+)`,
  String.raw`${START}${REPLY}\s+(?!${DESCRIPTION})(.+)`,
  String.raw`${START}(?:reply|respond|answer)\s+with(?:${THING})\s+(.+)`,
  String.raw`${START}${SAY}(?:${THING})?\s+(?!(?:some|any)thing\b|why\b|how\b|what\b|that you\b)(.+)`,
].map((source) => new RegExp(source, "i"));

function withoutQuotes(line: string): string {
  const quoted = line.match(/^(?:"([^"]+)"|“([^”]+)”|'([^']+)'|`([^`]+)`)/);
  const inner = quoted?.slice(1).find((group) => group !== undefined);
  if (inner !== undefined) return inner;
  const sentence = line.split(SENTENCE_END)[0] ?? "";
  const bare = sentence.replace(
    /(?:,|\s+and|\s+but)\s+(?:and\s+)?nothing\s+(?:else|more)\b.*$/i,
    "",
  );
  return bare.trim().replace(/[.]$/, "");
}

/** A full stop ends what is to be said, unless it only ends a title. */
const SENTENCE_END = /(?<!\b(?:Mr|Mrs|Ms|Dr|St|Prof))\.\s|(?<=[!?])\s/;

function unquoted(text: string): string {
  const quoted = text.match(/^(?:"([^"]*)"|“([^”]*)”|`([^`]*)`)$/);
  return quoted?.slice(1).find((group) => group !== undefined) ?? text;
}
