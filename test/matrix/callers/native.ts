import type { Json, JsonObject } from "#lib/json.ts";
import { geminiStreamFaults } from "#test/grammar/gemini.ts";
import { EMPTY, type Caller, type Seen, type Turn } from "../caller.ts";
import { framesIn, jsonIn, listIn, numberIn, objectIn, textIn } from "../wire.ts";

export const nativeCaller: Caller = {
  id: "gemini",
  showsReasoningWhole: true,
  asksToSee: true,

  request(ask) {
    const config = {
      ...(ask.schema === undefined
        ? {}
        : { responseMimeType: "application/json", responseJsonSchema: ask.schema }),
      ...(ask.thinks === true
        ? { thinkingConfig: { includeThoughts: true, thinkingBudget: 2_048 } }
        : {}),
      ...(ask.maxTokens === undefined ? {} : { maxOutputTokens: ask.maxTokens }),
    };
    const body = {
      contents: ask.turns.flatMap(contentOf),
      ...(Object.keys(config).length === 0 ? {} : { generationConfig: config }),
      ...(ask.tools === undefined
        ? {}
        : {
            tools: [
              {
                functionDeclarations: ask.tools.map(({ name, description, schema }) => ({
                  name,
                  description,
                  parametersJsonSchema: schema,
                })),
              },
            ],
          }),
    };
    const verb = ask.stream ? "streamGenerateContent?alt=sse" : "generateContent";
    return { path: `/v1beta/models/${ask.model}:${verb}`, body };
  },

  readWhole(body) {
    return body["error"] === undefined ? seenIn([body]) : failed(body);
  },

  readStream(stream) {
    const chunks = framesIn(stream).map((data) => objectIn(jsonIn(data)));
    const bad = chunks.find((chunk) => chunk["error"] !== undefined);
    return {
      ...seenIn(chunks),
      error: bad === undefined ? undefined : failed(bad).error,
      faults: bad === undefined ? faultsIn(stream) : [],
    };
  },
};

function seenIn(chunks: readonly JsonObject[]): Seen {
  const candidates = chunks.map((chunk) => listIn(chunk["candidates"])[0] ?? {});
  const parts = candidates.flatMap((each) => listIn(objectIn(each["content"])["parts"]));
  const usage = objectIn(chunks.findLast((chunk) => "usageMetadata" in chunk)?.["usageMetadata"]);
  const reason = candidates.findLast((each) => textIn(each["finishReason"]) !== "")?.[
    "finishReason"
  ];
  const calls = parts.flatMap((part) => {
    if (!("functionCall" in part)) return [];
    const { id, name, args } = objectIn(part["functionCall"]);
    return [{ id: textIn(id), name: textIn(name), args: args ?? {} }];
  });
  return {
    ...EMPTY,
    text: parts.map((part) => (part["thought"] === true ? "" : textIn(part["text"]))).join(""),
    reasoning: parts.map((part) => (part["thought"] === true ? textIn(part["text"]) : "")).join(""),
    calls,
    finish: finishOf(reason, calls.length > 0),
    usage: {
      input: numberIn(usage["promptTokenCount"]) + numberIn(usage["toolUsePromptTokenCount"]),
      output: numberIn(usage["candidatesTokenCount"]) + numberIn(usage["thoughtsTokenCount"]),
    },
    own: [{ role: "model", parts }],
  };
}

/** The vendor's own streams have other line ends, and do not say when they were made. */
function faultsIn(stream: string): readonly string[] {
  const faults = geminiStreamFaults(stream.replaceAll("\r\n", "\n"));
  return stream.includes("createTime") ? faults : faults.filter((each) => !/time/i.test(each));
}

function contentOf(turn: Turn): readonly Json[] {
  switch (turn.role) {
    case "user": {
      const { text, imageBase64: data } = turn;
      const image = data === undefined ? [] : [{ inlineData: { mimeType: "image/png", data } }];
      return [{ role: "user", parts: [{ text }, ...image] }];
    }
    case "assistant":
      return turn.own;
    case "tool":
      return [
        {
          role: "user",
          parts: turn.results.map(({ call, text }) => ({
            functionResponse: {
              ...(call.id === "" ? {} : { id: call.id }),
              name: call.name,
              response: { output: text },
            },
          })),
        },
      ];
  }
}

function finishOf(reason: Json | undefined, hasCalls: boolean): Seen["finish"] {
  switch (reason) {
    case "STOP":
      return hasCalls ? "calls" : "stop";
    case "MAX_TOKENS":
      return "length";
    case "SAFETY":
    case "PROHIBITED_CONTENT":
      return "filter";
    default:
      return "none";
  }
}

function failed(body: JsonObject): Seen {
  const { message, status } = objectIn(body["error"]);
  return { ...EMPTY, error: `${textIn(status)}: ${textIn(message)}` };
}
