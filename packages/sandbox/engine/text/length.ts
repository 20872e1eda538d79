import type { Prompt } from "../prompt.ts";
import { contentWords } from "../words.ts";
import { answerKnowledge } from "./general-knowledge.ts";
import { NUMBER, readNumber } from "./numbers.ts";

/** "Write about 200 words on rivers", "a 50-word story", "in five sentences": of just that length. */
export function followLength({ gist: text }: Prompt): string | undefined {
  const found = text.match(PATTERN);
  // A question that has an answer is not an essay's subject: "Answer in one word."
  if (found === null || answerKnowledge({ gist: text }) !== undefined) return undefined;
  const [whole, count = "", unit = ""] = found;
  const subject = contentWords(text.replace(whole, " ")).filter((word) => !TASK_WORDS.has(word));
  const topic = subject.slice(0, 4).join(" ") || "things in general";
  const sentences = /^sentence/i.test(unit);
  return sentences
    ? firstSentences(topic, readNumber(count))
    : firstWords(topic, readNumber(count));
}

const PATTERN = new RegExp(
  String.raw`\b(${NUMBER})[\s-]+(words?|sentences?)\b(?!\s+(?:or (?:less|fewer)|each))`,
  "i",
);

const TASK_WORDS = new Set(
  "write essay story text paragraph poem article summary summarize describe explain exactly least approximately around".split(
    " ",
  ),
);

const MAX_WORDS = 200_000;

function firstWords(topic: string, count: number): string {
  const wanted = Math.min(count, MAX_WORDS);
  const words: string[] = [];
  for (let index = 0; words.length < wanted; index++)
    words.push(...sentence(topic, index).split(" "));
  const text = words.slice(0, wanted).join(" ");
  return wanted === 0 ? "" : text.replace(/[.,]?$/, ".");
}

function firstSentences(topic: string, count: number): string {
  const length = Math.min(count, MAX_WORDS / 10);
  return Array.from({ length }, (_, index) => sentence(topic, index)).join(" ");
}

function sentence(topic: string, index: number): string {
  return (SENTENCES[index % SENTENCES.length] ?? "").replace("%", () => topic);
}

const SENTENCES: readonly string[] = [
  "This text is about %, and a simulation writes it.",
  "There is always more to say on %, so another sentence follows.",
  "Whoever reads on learns little, yet every word of it counts.",
  "Rules choose the words, and the same prompt brings the same words back.",
  "Nothing here was looked up, and nothing about % should be believed.",
  "When the asked length is reached the text ends, wherever it stands.",
];
