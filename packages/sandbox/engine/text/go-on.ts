/**
 * The rest of an answer that somebody has begun: behind the words that both
 * share, or behind the word that stops in the middle; otherwise all of it.
 */
export function goOn(begun: string, answer: string): string {
  const start = begun.trim();
  if (answer.startsWith(start)) return answer.slice(start.length);
  const piece = start.match(/[\p{L}\d]+$/u)?.[0] ?? "";
  if (piece === "") return ` ${answer}`;
  const word = new RegExp(String.raw`(?<![\p{L}\d])${piece}(?=[\p{L}\d])`, "u");
  const at = answer.search(word);
  return at < 0 ? ` ${answer}` : answer.slice(at + piece.length);
}
