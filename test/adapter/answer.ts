import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";

/** What an answer in the chat style says, whole or streamed. */
export interface Said {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly finish: string | undefined;
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly isDone: boolean;
  readonly error: JsonObject | undefined;
}

function saidWhole(body: JsonObject): Said {
  const choice = listOf(body["choices"])[0] ?? {};
  const message = memberOf(choice, "message") ?? {};
  const calls = listOf(memberOf(message, "tool_calls")).map((call) => memberOf(call, "function"));
  return {
    text: textOf(memberOf(message, "content")) ?? "",
    reasoning: textOf(memberOf(message, "reasoning_content")) ?? "",
    calls: calls.map((call) => called(memberOf(call, "name"), memberOf(call, "arguments"))),
    finish: textOf(memberOf(choice, "finish_reason")),
    ...usageIn(body),
    isDone: errorIn(body) === undefined,
    error: errorIn(body),
  };
}

function saidStream(raw: string): Said {
  const events = readEvents(raw).map(({ data }) => data);
  const chunks = events.map(parseJson).filter(isObject);
  const calls = new Map<number, { name: string; text: string }>();
  let text = "";
  let reasoning = "";
  let finish: string | undefined;
  for (const chunk of chunks) {
    const choice = listOf(chunk["choices"])[0];
    const delta = memberOf(choice, "delta");
    text += textOf(memberOf(delta, "content")) ?? "";
    reasoning += textOf(memberOf(delta, "reasoning_content")) ?? "";
    finish = textOf(memberOf(choice, "finish_reason")) ?? finish;
    for (const each of listOf(memberOf(delta, "tool_calls"))) {
      const index = Number(memberOf(each, "index"));
      const call = calls.get(index) ?? { name: "", text: "" };
      call.name += textOf(memberOf(memberOf(each, "function"), "name")) ?? "";
      call.text += textOf(memberOf(memberOf(each, "function"), "arguments")) ?? "";
      calls.set(index, call);
    }
  }
  return {
    text,
    reasoning,
    calls: [...calls.values()].map((call) => called(call.name, call.text)),
    finish,
    ...usageIn(chunks.findLast((chunk) => isObject(chunk["usage"])) ?? {}),
    isDone: events.includes("[DONE]"),
    error: chunks.map(errorIn).find((error) => error !== undefined),
  };
}

export async function said(answer: Response): Promise<Said> {
  const text = await answer.text();
  if (answer.headers.get("content-type")?.includes("event-stream") === true)
    return saidStream(text);
  const body = parseJson(text);
  return saidWhole(isObject(body) ? body : {});
}

function called(name: unknown, text: unknown): Said["calls"][number] {
  return {
    name: String(name),
    arguments: typeof text === "string" ? (parseJson(text) ?? text) : text,
  };
}

function usageIn(body: JsonObject): Pick<Said, "input" | "output"> {
  const input = memberOf(body["usage"], "prompt_tokens");
  const output = memberOf(body["usage"], "completion_tokens");
  return {
    input: typeof input === "number" ? input : undefined,
    output: typeof output === "number" ? output : undefined,
  };
}

function errorIn(body: JsonObject): JsonObject | undefined {
  return isObject(body["error"]) ? body["error"] : undefined;
}
