import type { Prompt } from "../prompt.ts";

/** "What is my name?" after an earlier "My name is Ada": shows that the history arrived. */
export function recallFact({ gist: text, earlier }: Prompt): string | undefined {
  const asked = text
    .match(
      /\b(?:what(?:'s| is| was)|tell me|remember|who is)\s+(?:again\s+)?my\s+((?:[\p{L}'’-]+\s?){1,4}?)\s*(?:[?.!]|$)/iu,
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
    const owned = asked.match(/^(.+)['’]s name$/iu)?.[1];
    const called = owned && calledIn(said, owned);
    if (called !== undefined && called !== "") return `Your ${asked} is ${called}.`;
  }
  return `You have not told me your ${asked}.`;
}

/** "I have a dog called Byron" */
function calledIn(said: string, owned: string): string | undefined {
  return said.match(
    new RegExp(String.raw`\b${owned}\s+(?:is\s+)?(?:called|named)\s+(\p{Lu}[\p{L}-]*)`, "u"),
  )?.[1];
}

/** "What is the launch code?" where somebody said "The launch code is X" or "the launch code: X", however long ago. */
export function findStated({ text, gist, earlier }: Prompt): string | undefined {
  const asked = gist
    .match(/\bwhat(?:'s| is| was)\s+the\s+((?:[\p{L}-]+\s?){1,4}?)\s*\?/iu)?.[1]
    ?.trim();
  if (asked === undefined) return undefined;
  const stated = new RegExp(
    String.raw`\bthe\s+${asked}(?:\s+(?:is|was)\s+|:\s*)[\x60"']?([^\x60"'.,;!?\n]{1,200})`,
    "iu",
  );
  for (const said of [text, ...earlier.toReversed()]) {
    const found = said.match(stated)?.[1]?.trim();
    if (found !== undefined) return `The ${asked} is ${found}.`;
  }
  return undefined;
}
