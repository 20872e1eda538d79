import type { Json, JsonObject } from "#lib/json.ts";
import { messagesStreamFaults } from "#test/grammar/messages.ts";
import { EMPTY, type Caller, type Seen, type Turn } from "../caller.ts";
import { framesIn, jsonIn, listIn, numberIn, objectIn, textIn } from "../wire.ts";

export const messagesCaller: Caller = {
  id: "messages",
  showsReasoningWhole: false,
  asksToSee: true,

  request(ask) {
    const body = {
      model: ask.model,
      max_tokens: ask.maxTokens ?? 4_096,
      messages: ask.turns.map(messageOf),
      ...(ask.stream ? { stream: true } : {}),
      ...(ask.tools === undefined
        ? {}
        : {
            tools: ask.tools.map(({ name, description, schema }) => ({
              name,
              description,
              input_schema: schema,
            })),
          }),
      ...(ask.schema === undefined
        ? {}
        : { output_config: { format: { type: "json_schema", schema: ask.schema } } }),
      ...(ask.thinks === true ? { thinking: { type: "enabled", budget_tokens: 2_048 } } : {}),
    };
    return { path: "/v1/messages", body };
  },

  readWhole(body) {
    if (body["type"] === "error") return failed(body);
    return seenIn(body);
  },

  readStream(stream) {
    let message: JsonObject = {};
    let error: string | undefined;
    const blocks: Record<string, Json | undefined>[] = [];
    const inputs: string[] = [];
    for (const data of framesIn(stream)) {
      const event = objectIn(jsonIn(data));
      const index = numberIn(event["index"]);
      switch (textIn(event["type"])) {
        case "message_start":
          message = objectIn(event["message"]);
          break;
        case "content_block_start":
          blocks[index] = { ...objectIn(event["content_block"]) };
          inputs[index] = "";
          break;
        case "content_block_delta":
          addDelta(blocks[index], objectIn(event["delta"]), (json) => (inputs[index] += json));
          break;
        case "content_block_stop": {
          const block = blocks[index];
          if (block?.["type"] === "tool_use") block["input"] = jsonIn(inputs[index] || "{}");
          break;
        }
        case "message_delta":
          message = {
            ...message,
            ...objectIn(event["delta"]),
            usage: { ...objectIn(message["usage"]), ...objectIn(event["usage"]) },
          };
          break;
        case "error":
          error = failed(event).error;
          break;
      }
    }
    return {
      ...seenIn({ ...message, content: blocks }),
      error,
      faults: error === undefined ? messagesStreamFaults(stream) : [],
    };
  },
};

function addDelta(
  block: Record<string, Json | undefined> | undefined,
  delta: JsonObject,
  addInput: (json: string) => void,
): void {
  if (block === undefined) return;
  const add = (member: string): void => {
    block[member] = textIn(block[member]) + textIn(delta[member]);
  };
  switch (textIn(delta["type"])) {
    case "text_delta":
      add("text");
      break;
    case "thinking_delta":
      add("thinking");
      break;
    case "signature_delta":
      add("signature");
      break;
    case "input_json_delta":
      addInput(textIn(delta["partial_json"]));
      break;
  }
}

function seenIn(message: JsonObject): Seen {
  const blocks = listIn(message["content"]);
  const usage = objectIn(message["usage"]);
  const input =
    numberIn(usage["input_tokens"]) +
    numberIn(usage["cache_read_input_tokens"]) +
    numberIn(usage["cache_creation_input_tokens"]);
  return {
    ...EMPTY,
    text: blocks.map((block) => (block["type"] === "text" ? textIn(block["text"]) : "")).join(""),
    reasoning: blocks.map((block) => textIn(block["thinking"])).join(""),
    calls: blocks
      .filter((block) => block["type"] === "tool_use")
      .map(({ id, name, input: args }) => ({
        id: textIn(id),
        name: textIn(name),
        args: args ?? null,
      })),
    finish: finishOf(message["stop_reason"]),
    usage: { input, output: numberIn(usage["output_tokens"]) },
    own: [{ role: "assistant", content: blocks }],
  };
}

function messageOf(turn: Turn): Json {
  switch (turn.role) {
    case "user": {
      const { text, imageBase64: data } = turn;
      if (data === undefined) return { role: "user", content: text };
      const source = { type: "base64", media_type: "image/png", data };
      return {
        role: "user",
        content: [
          { type: "image", source },
          { type: "text", text },
        ],
      };
    }
    case "assistant":
      return turn.own[0] ?? null;
    case "tool":
      return {
        role: "user",
        content: turn.results.map(({ call, text }) => ({
          type: "tool_result",
          tool_use_id: call.id,
          content: text,
        })),
      };
  }
}

function finishOf(reason: Json | undefined): Seen["finish"] {
  switch (reason) {
    case "end_turn":
    case "stop_sequence":
      return "stop";
    case "max_tokens":
      return "length";
    case "tool_use":
      return "calls";
    case "refusal":
      return "filter";
    default:
      return "none";
  }
}

function failed(body: JsonObject): Seen {
  const { message, type } = objectIn(body["error"]);
  return { ...EMPTY, error: `${textIn(type)}: ${textIn(message)}` };
}
