import type { Prompt } from "#sandbox/engine/prompt.ts";

/** "What is my name?" after an earlier "My name is Ada": shows that the history arrived. */
export function recallFact({ gist: text, earlier }: Prompt): string | undefined {
  const asked = text
    .match(
      /\b(?:what(?:'s| is| was)|tell me|remember|who is)\s+(?:again\s+)?my\s+((?:[\p{L}-]+\s?){1,4}?)\s*(?:[?.!]|$)/iu,
    )?.[1]
    ?.trim();
  if (asked === undefined) return undefined;

  for (const said of earlier.toReversed()) {
    const fact = said.match(
      new RegExp(String.raw`\bmy\s+${asked}\s+is\s+([^.,;!?\n]{1,200})`, "iu"),
    )?.[1];
    if (fact !== undefined) return `Your ${asked} is ${fact.trim()}.`;
    const name =
      asked === "name"
        ? said.match(/\b(?:i am|i'm|call me)\s+(\p{Lu}[\p{L}-]*)/iu)?.[1]
        : undefined;
    if (name !== undefined) return `Your name is ${name}.`;
  }
  return `You have not told me your ${asked}.`;
}
