/**
 * What the user typed, without what an agent wraps around it. Agents put what
 * a model should know of its surroundings into the user's turn, in tags such
 * as `<system-reminder>` and `<session_context>`: read as a question, the list
 * of an agent's skills would call for every tool. A turn that holds nothing
 * else is left as it is.
 */
export function ownWords(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (const opening of text.matchAll(ENVELOPE)) {
    if (opening.index < from) continue;
    const closing = `</${opening[1]}>`;
    const end = text.indexOf(closing, opening.index);
    if (end < 0) break;
    kept.push(text.slice(from, opening.index));
    from = end + closing.length;
  }
  const own = [...kept, text.slice(from)].join("").trim();
  return own === "" || from === 0 ? text : own;
}

const ENVELOPE = /<([a-z]{1,40}[-_](?:reminder|context|instructions))>/g;
