import type { Prompt } from "../prompt.ts";
import { NUMBER, readNumber } from "./numbers.ts";

/** "What is 12 * (3 + 4)?", "6 times 7", "15% of 80": "12 * (3 + 4) = 84." */
export function answerArithmetic({ gist: text }: Prompt): string | undefined {
  const symbolic = withSymbols(text);
  const isAsked =
    /\b(?:what(?:'s| is)|calculate|compute|how much|solve|evaluate|result|sum)\b|=\s*\?|^[^a-z]*$/i.test(
      text,
    );
  if (!isAsked) return undefined;

  const candidates = symbolic.match(/[-(\d](?:[-+*/^().\d\s]{0,1000}[)\d])/g) ?? [];
  const expression = candidates
    .filter((each) => /\d\s*[-+*/^]\s*[-(]*\d|\)/.test(each))
    .toSorted((a, b) => b.length - a.length)[0];
  if (expression === undefined || expression.length > MAX_CHARACTERS) return undefined;

  const value = evaluate(expression);
  if (value === undefined) return undefined;
  const result = Number.isFinite(value) ? String(Number(value.toPrecision(12))) : "undefined";
  const isBare = /\b(?:only|just)\b.{0,30}\b(?:number|result|answer)\b|\bnothing else\b/i.test(
    text,
  );
  return isBare ? result : `${expression.trim()} = ${result}.`;
}

const MAX_CHARACTERS = 1_000;
const NUMBER_WORD = new RegExp(String.raw`\b${NUMBER}\b`, "gi");

function withSymbols(text: string): string {
  return text
    .replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, " ")
    .replaceAll(NUMBER_WORD, (word) => String(readNumber(word)))
    .replaceAll(/\b(?:plus|added to)\b/gi, "+")
    .replaceAll(/\bminus\b/gi, "-")
    .replaceAll(/\b(?:times|multiplied by)\b|[×·]/gi, "*")
    .replaceAll(/(?<=\d)\s*x\s*(?=\d)/g, " * ")
    .replaceAll(/\bdivided by\b|÷/gi, "/")
    .replaceAll(/\bto the power of\b|\*\*/gi, "^")
    .replaceAll(/\b(\d+(?:\.\d+)?)\s*(?:%|percent)\s+of\s+(\d+(?:\.\d+)?)/gi, "$1 / 100 * $2")
    .replaceAll(/(?<=\d),(?=\d{3}\b)/g, "");
}

/** Sums of products of powers; `undefined` where the text is no expression. */
function evaluate(expression: string): number | undefined {
  const tokens = expression.match(/\d+(?:\.\d+)?|[-+*/^()]/g) ?? [];
  let at = 0;

  function sum(): number {
    let value = product();
    while (tokens[at] === "+" || tokens[at] === "-")
      value += tokens[at++] === "+" ? product() : -product();
    return value;
  }
  function product(): number {
    let value = power();
    while (tokens[at] === "*" || tokens[at] === "/")
      value = tokens[at++] === "*" ? value * power() : value / power();
    return value;
  }
  function power(): number {
    const base = unary();
    if (tokens[at] !== "^") return base;
    at++;
    return base ** power();
  }
  function unary(): number {
    const token = tokens[at++];
    if (token === "-") return -unary();
    if (token !== "(") return Number(token ?? Number.NaN);
    const value = sum();
    return tokens[at++] === ")" ? value : Number.NaN;
  }

  const value = sum();
  return at === tokens.length && !Number.isNaN(value) ? value : undefined;
}
