import type { FaultMatch, FaultOrder, FaultQueue } from "./faults/fault-queue.ts";
import { isJsonObject, jsonText, type Json } from "./json.ts";
import type { Received } from "./receive.ts";

export const CONTROL_PATH = "/_sandbox/";

/** `POST /_sandbox/faults` orders a fault for the next requests, `DELETE` cancels all orders. */
export function answerControl(
  { method, path, body }: Pick<Received, "method" | "path" | "body">,
  queue: FaultQueue,
): { readonly status: number; readonly body: string } {
  if (path !== `${CONTROL_PATH}faults`) return failure(404, "There is only /_sandbox/faults.");
  if (method === "DELETE") {
    queue.clear();
    return { status: 204, body: "" };
  }
  if (method !== "POST") return failure(405, "Use POST to order a fault, DELETE to cancel all.");

  try {
    const order = readOrder(body);
    queue.add(order);
    return { status: 201, body: JSON.stringify(order) };
  } catch (cause) {
    return failure(400, cause instanceof Error ? cause.message : String(cause));
  }
}

function failure(status: number, message: string) {
  return { status, body: JSON.stringify({ error: { message } }) };
}

function readOrder(body: Json | undefined): FaultOrder {
  if (!isJsonObject(body) || typeof body["name"] !== "string") {
    throw new TypeError("The body is {name, args?, times?, match?}, and name is a text.");
  }
  const { name, args, times, match } = body;
  return {
    name,
    args: readTexts(args),
    times: readTimes(times),
    match: readMatch(match),
  };
}

function readTimes(times: Json | undefined): number | "always" {
  if (times === undefined) return 1;
  if (times === "always" || (Number.isInteger(times) && Number(times) > 0))
    return times === "always" ? times : Number(times);
  throw new TypeError('times is a whole number from 1, or "always".');
}

function readMatch(match: Json | undefined): FaultMatch {
  const known = new Set(["path", "model", "text", "key"]);
  const texts = readTexts(match);
  const unknown = Object.keys(texts).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new TypeError(`match knows path, model, text and key, but not ${unknown}.`);
  return texts;
}

/** Numbers and flags may be written as such. */
function readTexts(value: Json | undefined): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (!isJsonObject(value)) throw new TypeError("args and match are objects.");
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      each === true ? "1" : each === false ? "0" : jsonText(each),
    ]),
  );
}
