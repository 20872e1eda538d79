import type { Json, JsonObject } from "#lib/json.ts";
import { responsesStreamFaults } from "#test/grammar/responses.ts";
import { EMPTY, type Caller, type Seen, type Turn } from "../caller.ts";
import { framesIn, jsonIn, listIn, numberIn, objectIn, textIn } from "../wire.ts";

export const responsesCaller: Caller = {
  id: "responses",
  showsReasoningWhole: true,
  asksToSee: true,

  request(ask) {
    const body = {
      model: ask.model,
      store: false,
      input: ask.turns.flatMap(itemsOf),
      ...(ask.stream ? { stream: true } : {}),
      ...(ask.tools === undefined
        ? {}
        : {
            tools: ask.tools.map(({ name, description, schema }) => ({
              type: "function",
              name,
              description,
              parameters: schema,
              strict: false,
            })),
          }),
      ...(ask.schema === undefined
        ? {}
        : {
            text: {
              format: { type: "json_schema", name: "answer", schema: ask.schema, strict: true },
            },
          }),
      ...(ask.thinks === true
        ? {
            reasoning: { effort: "high", summary: "auto" },
            include: ["reasoning.encrypted_content"],
          }
        : {}),
      ...(ask.maxTokens === undefined ? {} : { max_output_tokens: ask.maxTokens }),
    };
    return { path: "/v1/responses", body };
  },

  readWhole(body) {
    return isFilled(body["error"]) ? failed(body) : seenIn(body);
  },

  readStream(stream) {
    let last: JsonObject = {};
    for (const data of framesIn(stream)) {
      if (data !== "[DONE]") last = objectIn(jsonIn(data));
    }
    const response = objectIn(last["response"]);
    const error = isFilled(response["error"])
      ? failed(response).error
      : last["type"] === "error"
        ? `${textIn(last["code"])}: ${textIn(last["message"])}`
        : undefined;
    return { ...seenIn(response), error, faults: responsesStreamFaults(stream) };
  },
};

function seenIn(response: JsonObject): Seen {
  const items = listIn(response["output"]);
  const of = (type: string): readonly JsonObject[] => items.filter((item) => item["type"] === type);
  const parts = of("message").flatMap((item) => listIn(item["content"]));
  const usage = objectIn(response["usage"]);
  const calls = of("function_call").map((item) => ({
    id: textIn(item["call_id"]),
    name: textIn(item["name"]),
    args: jsonIn(textIn(item["arguments"])),
  }));
  return {
    ...EMPTY,
    text: parts.map((part) => textIn(part["text"])).join(""),
    reasoning: of("reasoning")
      .flatMap((item) => listIn(item["summary"]))
      .map((part) => textIn(part["text"]))
      .join("\n\n"),
    calls,
    finish: finishOf(response, calls.length > 0),
    usage: isFilled(response["usage"])
      ? { input: numberIn(usage["input_tokens"]), output: numberIn(usage["output_tokens"]) }
      : undefined,
    own: items,
  };
}

function itemsOf(turn: Turn): readonly Json[] {
  switch (turn.role) {
    case "user": {
      const { text, imageBase64 } = turn;
      const image = `data:image/png;base64,${imageBase64 ?? ""}`;
      const content = [
        { type: "input_text", text },
        ...(imageBase64 === undefined
          ? []
          : [{ type: "input_image", image_url: image, detail: "auto" }]),
      ];
      return [{ role: "user", content }];
    }
    case "assistant":
      return turn.own;
    case "tool":
      return turn.results.map(({ call, text }) => ({
        type: "function_call_output",
        call_id: call.id,
        output: text,
      }));
  }
}

function finishOf(response: JsonObject, hasCalls: boolean): Seen["finish"] {
  const reason = objectIn(response["incomplete_details"])["reason"];
  if (reason === "max_output_tokens") return "length";
  if (reason === "content_filter") return "filter";
  if (response["status"] !== "completed") return "none";
  return hasCalls ? "calls" : "stop";
}

function isFilled(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

function failed(body: JsonObject): Seen {
  const { message, type, code } = objectIn(body["error"]);
  return { ...EMPTY, error: `${textIn(type ?? code)}: ${textIn(message)}` };
}
