import { either, flag, integer, list, number, object, text } from "#lib/rules.ts";
import type { ObjectRule, Rule } from "#lib/rules.ts";
import { snakeCase } from "#lib/letter-case.ts";

/** The most an owner may allow; what they do allow is a setting. */
const MAX_CONTENTS = 100_000;
const MAX_PARTS = 5_000;
const MAX_TOOLS = 512;
const MAX_STOPS = 64;
const MAX_SETTINGS = 64;
/** Far above any model's window; a larger number is a mistake. */
const MAX_OUTPUT_TOKENS = 10_000_000;

const ANY_OBJECT = object({});
const NAME = text({ minLength: 1, maxLength: 512 });
const DATA = object({ "data!": text(), mimeType: text() });
const FILE = object({ fileUri: text(), mimeType: text() });

const PART = object({
  text: text(),
  inlineData: DATA,
  fileData: FILE,
  functionCall: object({ id: text(), name: text(), args: ANY_OBJECT }),
  functionResponse: object({
    id: text(),
    name: text(),
    response: ANY_OBJECT,
    parts: list(object({ inlineData: DATA, fileData: FILE }), MAX_PARTS),
  }),
  thought: flag(),
  thoughtSignature: text(),
});
const PARTS = either(list(PART, MAX_PARTS), PART);
const CONTENT = object({
  role: text({ oneOf: ["user", "model", "function", "tool"], anyCase: true, isOpen: true }),
  parts: PARTS,
});

const DECLARATION = object({
  "name!": NAME,
  description: text(),
  parameters: ANY_OBJECT,
  parametersJsonSchema: ANY_OBJECT,
});
const TOOL = object({
  functionDeclarations: list(DECLARATION, MAX_TOOLS),
  googleSearch: ANY_OBJECT,
  vendorSearch: object({}, "Search grounding, by another name."),
  googleSearchRetrieval: ANY_OBJECT,
});

const LEVELS = ["MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH", "THINKING_LEVEL_UNSPECIFIED", ""];

const GENERATION_CONFIG = object({
  temperature: number(0, 2, "How freely the model chooses."),
  topP: number(0, 1, "Nucleus sampling."),
  topK: number(0, 1_000_000),
  candidateCount: integer(1, 8, "How many answers."),
  maxOutputTokens: integer(1, MAX_OUTPUT_TOKENS, "The most tokens to generate, thoughts included."),
  stopSequences: list(text(), MAX_STOPS),
  responseMimeType: text(),
  responseSchema: ANY_OBJECT,
  responseJsonSchema: ANY_OBJECT,
  responseModalities: list(
    text({ oneOf: ["TEXT", "IMAGE", "AUDIO", "VIDEO"], anyCase: true, isOpen: true }),
    8,
  ),
  presencePenalty: number(-2, 2),
  frequencyPenalty: number(-2, 2),
  seed: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  responseLogprobs: flag(),
  logprobs: integer(0, 20),
  thinkingConfig: object({
    includeThoughts: flag("Show a summary of the thoughts."),
    thinkingBudget: integer(-1, MAX_OUTPUT_TOKENS, "Tokens; -1 automatic, 0 off."),
    thinkingLevel: text({
      oneOf: LEVELS,
      isOpen: true,
      anyCase: true,
      doc: "For the latest models, instead of a budget; HIGH where nothing is said.",
    }),
  }),
  imageConfig: object({
    aspectRatio: text(),
    imageSize: text(),
    imageOutputOptions: object({ mimeType: text() }),
  }),
  speechConfig: ANY_OBJECT,
});

/** Everything of a generate-content request that is acted on; the rest passes unread. */
export const REQUEST: ObjectRule = object({
  "contents!": list(CONTENT, MAX_CONTENTS, 1),
  systemInstruction: object({ role: text(), parts: PARTS }),
  generationConfig: GENERATION_CONFIG,
  safetySettings: list(object({ category: text(), threshold: text() }), MAX_SETTINGS),
  tools: either(list(TOOL, MAX_TOOLS), TOOL),
  toolConfig: object({
    functionCallingConfig: object({
      mode: text({
        oneOf: ["AUTO", "ANY", "NONE", "VALIDATED", "MODE_UNSPECIFIED"],
        isOpen: true,
        anyCase: true,
      }),
      allowedFunctionNames: list(text(), MAX_TOOLS),
    }),
  }),
  cachedContent: text({ doc: "Id of a cached context that the vendor keeps." }),
});

/** The same, for members in either spelling: what requests are really held to. */
export const WRITTEN_REQUEST: Rule = inBothSpellings(REQUEST);

function inBothSpellings(rule: Rule): Rule {
  switch (rule.is) {
    case "object": {
      const members = [...rule.members].flatMap(([name, member]) => {
        const both = inBothSpellings(member);
        return [[name, both] as const, [snakeCase(name), both] as const];
      });
      return { ...rule, members: new Map(members) };
    }
    case "list":
      return { ...rule, of: inBothSpellings(rule.of) };
    case "either":
      return { ...rule, of: rule.of.map(inBothSpellings) };
    default:
      return rule;
  }
}
