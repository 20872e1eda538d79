/** Words in lower case, with the plain English endings cut off, so that "cities" meets "city". */
export function stems(text: string): readonly string[] {
  return words(text).map(stem);
}

/** `getWeatherNow`, `get_weather_now` and `get-weather-now` are all three words. */
export function words(text: string): readonly string[] {
  const apart = text.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase();
  return apart.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The words that carry a sentence's subject. */
export function contentWords(text: string): readonly string[] {
  const found = words(text.replaceAll(/['’](?:s|t|re|ve|ll|m|d)\b/gi, ""));
  return found.filter((word) => !EMPTY_WORDS.has(word));
}

export function isEmptyWord(word: string): boolean {
  return EMPTY_WORDS.has(word);
}

function stem(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 5 && word.endsWith("ing")) return word.slice(0, -3);
  if (word.length > 4 && /(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith("s") && !word.endsWith("ss")) return word.slice(0, -1);
  return word;
}

/** Includes the verbs that nearly every tool's name begins with. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but
  by call can could did do does doing down during each few for from function further get give given had has have having he her
  here hers him his how i if in into is it its just kindly let like make me more most my need no nor not now of off
  on once one only or other our out over own please return same set she should show so some such tell than thanks
  that the their them then there these they this those through to tool too under until up us use used user using
  very want was we were what when where which while who whom why will with would you your`.split(
    /\s+/,
  ),
);
