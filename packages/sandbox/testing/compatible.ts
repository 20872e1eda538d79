import { parseJson, type JsonObject } from "../json.ts";
import type { Sandbox } from "../server.ts";
import { asObject, at, eventsIn, textAt } from "./chat.ts";

/** Requests to a simulated vendor who speaks the chat protocol under an address of its own. */
interface ChatCaller {
  send(body: JsonObject, key?: string): Promise<Response>;
  answer(body: JsonObject): Promise<JsonObject>;
  chunks(body: JsonObject): Promise<readonly JsonObject[]>;
  /** Status, type, code and message; the param where there is one. */
  refusal(body: JsonObject): Promise<string>;
}

export function chatCaller(sandbox: () => Sandbox, base: string): ChatCaller {
  const send = (body: JsonObject, key = "sk-test") =>
    fetch(`${sandbox().url}${base}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    });
  const answer = async (body: JsonObject) => asObject(parseJson(await (await send(body)).text()));

  return {
    send,
    answer,
    async chunks(body) {
      const events = eventsIn(await (await send({ stream: true, ...body })).text());
      return events.filter((data) => data !== "[DONE]").map((data) => asObject(parseJson(data)));
    },
    async refusal(body) {
      const response = await send(body);
      const error = at(parseJson(await response.text()), "error");
      return [
        response.status,
        ...["type", "code", "message"].map((key) => textAt(error, key)),
      ].join(" | ");
    },
  };
}

/** The text of one field of all deltas. */
export function fieldOf(chunks: readonly JsonObject[], name: string): string {
  return chunks.map((chunk) => textAt(chunk, "choices", 0, "delta", name)).join("");
}
