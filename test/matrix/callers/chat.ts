import type { Json, JsonObject } from "#lib/json.ts";
import { chatStreamFaults } from "#test/grammar/chat.ts";
import { EMPTY, type Ask, type Caller, type Seen, type SeenCall, type Turn } from "../caller.ts";
import { framesIn, jsonIn, listIn, numberIn, objectIn, textIn } from "../wire.ts";

export const chatCaller: Caller = {
  id: "chat",
  showsReasoningWhole: false,
  asksToSee: false,

  request(ask) {
    const body = {
      model: ask.model,
      messages: ask.turns.flatMap(messagesOf),
      ...(ask.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
      ...(ask.tools === undefined ? {} : { tools: ask.tools.map(toolOf) }),
      ...(ask.schema === undefined ? {} : { response_format: formatOf(ask.schema) }),
      ...(ask.thinks === true ? { reasoning_effort: "high" } : {}),
      ...(ask.maxTokens === undefined ? {} : { max_completion_tokens: ask.maxTokens }),
    };
    return { path: "/v1/chat/completions", body };
  },

  readWhole(body) {
    if (body["error"] !== undefined) return failed(body);
    const choice = listIn(body["choices"])[0] ?? {};
    const message = objectIn(choice["message"]);
    return {
      ...EMPTY,
      text: textIn(message["content"]),
      reasoning: textIn(message["reasoning_content"]),
      calls: callsIn(listIn(message["tool_calls"])),
      finish: finishOf(choice["finish_reason"]),
      usage: usageOf(body["usage"]),
      own: [message],
    };
  },

  readStream(stream) {
    let text = "";
    let reasoning = "";
    let finish: Seen["finish"] = "none";
    let usage: Seen["usage"];
    let error: string | undefined;
    const calls: { id: string; name: string; arguments: string; rest: JsonObject }[] = [];

    for (const data of framesIn(stream)) {
      if (data === "[DONE]") continue;
      const chunk = objectIn(jsonIn(data));
      if (chunk["error"] !== undefined) error = failed(chunk).error;
      usage = usageOf(chunk["usage"]) ?? usage;
      const choice = listIn(chunk["choices"])[0];
      const delta = objectIn(choice?.["delta"]);
      text += textIn(delta["content"]);
      reasoning += textIn(delta["reasoning_content"]);
      for (const piece of listIn(delta["tool_calls"])) {
        const { index: _, id: __, type: ___, function: called, ...rest } = piece;
        const { name, arguments: args } = objectIn(called);
        const call = (calls[numberIn(piece["index"])] ??= {
          id: textIn(piece["id"]),
          name: textIn(name),
          arguments: "",
          rest,
        });
        call.arguments += textIn(args);
      }
      if (textIn(choice?.["finish_reason"]) !== "") finish = finishOf(choice?.["finish_reason"]);
    }

    const written = calls.map(({ id, name, arguments: args, rest }) => ({
      ...rest,
      id,
      type: "function",
      function: { name, arguments: args },
    }));
    const own: JsonObject = {
      role: "assistant",
      content: text === "" ? null : text,
      ...(written.length === 0 ? {} : { tool_calls: written }),
    };
    return {
      text,
      reasoning,
      calls: callsIn(written),
      finish,
      usage,
      error,
      own: [own],
      faults: error === undefined ? chatStreamFaults(stream, { wantsUsage: true }) : [],
    };
  },
};

function messagesOf(turn: Turn): readonly Json[] {
  switch (turn.role) {
    case "user": {
      const { text, imageBase64 } = turn;
      if (imageBase64 === undefined) return [{ role: "user", content: text }];
      const url = `data:image/png;base64,${imageBase64}`;
      const content = [
        { type: "text", text },
        { type: "image_url", image_url: { url } },
      ];
      return [{ role: "user", content }];
    }
    case "assistant":
      return turn.own;
    case "tool":
      return turn.results.map(({ call, text }) => ({
        role: "tool",
        tool_call_id: call.id,
        content: text,
      }));
  }
}

function toolOf({ name, description, schema }: NonNullable<Ask["tools"]>[number]): Json {
  return { type: "function", function: { name, description, parameters: schema } };
}

function formatOf(schema: JsonObject): Json {
  return { type: "json_schema", json_schema: { name: "answer", schema, strict: true } };
}

function callsIn(calls: readonly JsonObject[]): readonly SeenCall[] {
  return calls.map((call) => {
    const { name, arguments: args } = objectIn(call["function"]);
    return { id: textIn(call["id"]), name: textIn(name), args: jsonIn(textIn(args)) };
  });
}

function finishOf(reason: Json | undefined): Seen["finish"] {
  switch (reason) {
    case "stop":
      return "stop";
    case "length":
      return "length";
    case "tool_calls":
      return "calls";
    case "content_filter":
      return "filter";
    default:
      return "none";
  }
}

function usageOf(usage: Json | undefined): Seen["usage"] {
  const { prompt_tokens: input, completion_tokens: output } = objectIn(usage);
  return typeof input === "number" ? { input, output: numberIn(output) } : undefined;
}

function failed(body: JsonObject): Seen {
  const { message, type } = objectIn(body["error"]);
  return { ...EMPTY, error: `${textIn(type)}: ${textIn(message)}` };
}
