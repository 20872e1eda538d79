import { gistOf, type Prompt } from "../prompt.ts";
import { seededRandom } from "../random.ts";
import { contentWords } from "../words.ts";
import { answerArithmetic } from "./arithmetic.ts";
import { describeUploads } from "./describe-uploads.ts";
import { followCount } from "./count.ts";
import { countLetters } from "./count-letters.ts";
import { dictatedText, followExactly } from "./exactly.ts";
import { forbiddenWords } from "./forbidden-words.ts";
import { answerKnowledge } from "./general-knowledge.ts";
import { goOn } from "./go-on.ts";
import { followLength } from "./length.ts";
import { findStated, recallFact } from "./memory.ts";
import { quoteResults } from "./quote-results.ts";
import { followRepeat } from "./repeat.ts";
import { valueInResults } from "./value-in-results.ts";

/**
 * The answer in words. The first rule that understands the prompt writes it;
 * a prompt that no rule understands gets a short sentence about itself.
 */
export function writeText(prompt: Prompt, seed: string): string {
  const verbatim = valueInResults(prompt) ?? quoteResults(prompt) ?? dictatedText(prompt.text);
  if (verbatim !== undefined) return verbatim;

  const text = withoutCase(prompt.text);
  const plain = { ...prompt, text, gist: gistOf(text) };
  const answer =
    firstAnswer(RULES, plain) ??
    dictatedText(prompt.system) ??
    followExactly({ text: prompt.system }) ??
    answerKnowledge(plain) ??
    mentionSubject(plain, seed);
  const whole = withAskedEnd(inAskedCase(answer, prompt), prompt);
  return prompt.begun === undefined ? whole : goOn(prompt.begun, whole);
}

/** "End every reply with the word X." */
function withAskedEnd(text: string, { gist, system }: Prompt): string {
  const end = `${system}\n${gist}`.match(ASKED_END)?.[1];
  return end === undefined || text.endsWith(end) ? text : `${text} ${end}`;
}

const ASKED_END =
  /\bend\s+(?:every|each|all)(?:\s+\w+){0,2}\s+(?:replies|reply|answers?|messages?|responses?)\s+with\s+(?:the\s+(?:word|phrase)\s+)?["'“]?([\p{L}\d-]+)/iu;

type Rule = (prompt: Prompt) => string | undefined;

const RULES: readonly Rule[] = [
  followRepeat,
  followExactly,
  describeUploads,
  followCount,
  countLetters,
  followLength,
  answerArithmetic,
  recallFact,
  findStated,
  greet,
];

function firstAnswer(rules: readonly Rule[], prompt: Prompt): string | undefined {
  for (const rule of rules) {
    const text = rule(prompt);
    if (text !== undefined) return text;
  }
  return undefined;
}

function greet({ gist }: Prompt): string | undefined {
  const isGreeting =
    /^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: there)?\s*[.!]*\s*$/i.test(gist);
  return isGreeting ? "Hello! How can I help you today?" : undefined;
}

function mentionSubject(prompt: Prompt, seed: string): string {
  const forbidden = forbiddenWords(prompt.gist);
  const words = contentWords(prompt.gist).filter((word) => !forbidden.has(word));
  const subject = words.slice(0, 8).join(" ");
  if (subject === "") return "I am a simulated model, and I am listening.";
  const sentence = seededRandom(seed).pick(SENTENCES);
  return sentence.replace("%", () => subject);
}

/** Each says plainly that a rule engine speaks, and shows which words it has read. */
const SENTENCES: readonly [string, ...string[]] = [
  "You asked about %. This is a simulated answer, written by rules.",
  "About %: a simulated model has read your message and answers with this sentence.",
  "I have read your words on %, and I am only a simulation, so this is all I know.",
  "Here is a simulated answer concerning %.",
];

function inAskedCase(text: string, { gist: asked, system }: Prompt): string {
  const requested = `${system}\n${asked}`;
  if (requested.search(UPPER_CASE) >= 0) return text.toUpperCase();
  return requested.search(LOWER_CASE) >= 0 ? text.toLowerCase() : text;
}

function withoutCase(text: string): string {
  return text.replaceAll(UPPER_CASE, "").replaceAll(LOWER_CASE, "");
}

const UPPER_CASE = /,?\s?\bin (?:all )?(?:upper ?case|capital letters|capitals|all caps)\b/gi;
const LOWER_CASE = /,?\s?\bin (?:all )?lower ?case\b/gi;
