import { parseJson, type Json } from "../json.ts";
import type { Answer, RequestSpec } from "./conversation.ts";
import { generateJson } from "./json-schema/generate.ts";
import { matchesSchema } from "./json-schema/matches.ts";
import { limitAnswer } from "./limit-answer.ts";
import { readPrompt, type Prompt } from "./prompt.ts";
import { readValues } from "./prompt-values.ts";
import { think } from "./reasoning.ts";
import { askedJson } from "./text/asked-json.ts";
import { writeText } from "./text/write-text.ts";
import { chooseCalls } from "./tool-calls.ts";
import { withCitations } from "./web-search.ts";
import { isEmptyWord } from "./words.ts";

/** Answers as a model would, as far as rules can. Pure: the same question gets the same answer. */
export function answerQuestion(question: RequestSpec): Answer {
  const prompt = readPrompt(question.conversation, question.goesOn);
  const seed = `${JSON.stringify(question.conversation)} ${question.variant}`;
  const reasoning = think(prompt, question.reasoning);
  const answer = { reasoning, ...respond(question, prompt, seed) };
  return limitAnswer(answer, question);
}

type Response = Omit<Answer, "reasoning">;

function respond(question: RequestSpec, prompt: Prompt, seed: string): Response {
  if (/\bplease refuse\b/i.test(prompt.gist)) {
    return {
      text: "",
      refusal: "I'm sorry, but I can't assist with that request.",
      calls: [],
      finish: "stop",
    };
  }
  const calls = chooseCalls(question, prompt, seed);
  if (calls.length > 0) return { text: "", calls, finish: "calls" };

  return { text: writeFormatted(question, prompt, seed), calls: [], finish: "stop" };
}

function writeFormatted({ format, pages = [] }: RequestSpec, prompt: Prompt, seed: string): string {
  const text = writeText(prompt, seed);
  const inWords = format.kind === "text" && pages.length === 0 ? askedJson(prompt) : undefined;
  if (format.kind === "text" && inWords === undefined) return withCitations(text, pages);

  // A dictated JSON text stands, where it has the asked form.
  const dictated = parseJson(text);
  const wanted = format.kind === "schema" ? format.schema : inWords?.schema;
  const schema = wanted ?? { type: "object" };
  if (dictated !== undefined && matchesSchema(dictated, schema)) return text;
  return JSON.stringify(
    wanted === undefined ? answerObject(prompt, text, seed) : conforming(wanted, prompt, seed),
  );
}

function conforming(schema: Json, prompt: Prompt, seed: string): Json {
  return generateJson(schema, { values: readValues(prompt.text), seed, fill: "all" });
}

/** `{"answer": …}`, or the keys that the prompt names: "with keys name and age". */
function answerObject(prompt: Prompt, text: string, seed: string): Json {
  const named = prompt.gist.match(KEY_LIST)?.[1] ?? "";
  const keys = named
    .split(KEY_SEPARATOR)
    .map((key) => key.replace(/\(\w+\)/, "").replaceAll(/\W/g, ""));
  const required = keys.filter((key) => key !== "" && !isEmptyWord(key.toLowerCase()));
  if (required.length === 0) return { answer: text };
  const properties = Object.fromEntries(
    required.map((key) => [
      key,
      { type: /\b(?:age|count|number|year|price|amount|total)\b/i.test(key) ? "number" : "string" },
    ]),
  );
  return conforming({ type: "object", properties, required }, prompt, seed);
}

const KEY = "[\"'`]?\\w+[\"'`]?(?: \\(\\w+\\))?";
const KEY_SEPARATOR = /,\s*(?:and\s+)?|\s+and\s+/;
const KEY_LIST = new RegExp(
  String.raw`\b(?:keys?|fields?|propert(?:y|ies))\s+(${KEY}(?:(?:${KEY_SEPARATOR.source})${KEY}){0,20})`,
  "i",
);
