import { changeTaskSettings, taskSettingsBody } from "./control-tasks.ts";
import type { LiveTaskSettings } from "./engine/task-settings.ts";
import type { FaultMatch, FaultOrder, FaultQueue } from "./faults/fault-queue.ts";
import { isJsonObject, jsonText, type Json } from "./json.ts";
import type { Received } from "./receive.ts";

export const CONTROL_PATH = "/_sandbox/";

/**
 * `POST /_sandbox/faults` orders a fault for the next requests, `DELETE` cancels
 * all orders. `GET /_sandbox/tasks` shows how tasks run, `PATCH` changes it,
 * `DELETE` takes the changes back.
 */
export function answerControl(
  { method, path, body }: Pick<Received, "method" | "path" | "body">,
  { queue, tasks }: Controlled,
): ControlAnswer {
  try {
    if (path === `${CONTROL_PATH}faults`) return faults(method, body, queue);
    if (path === `${CONTROL_PATH}tasks`) return taskSettings(method, body, tasks);
    return failure(404, "There are /_sandbox/faults and /_sandbox/tasks.");
  } catch (cause) {
    return failure(400, cause instanceof Error ? cause.message : String(cause));
  }
}

interface Controlled {
  readonly queue: FaultQueue;
  readonly tasks: LiveTaskSettings;
}

interface ControlAnswer {
  readonly status: number;
  readonly body: string;
}

function faults(method: string, body: Json | undefined, queue: FaultQueue): ControlAnswer {
  if (method === "DELETE") {
    queue.clear();
    return { status: 204, body: "" };
  }
  if (method !== "POST") return failure(405, "Use POST to order a fault, DELETE to cancel all.");
  const order = readOrder(body);
  queue.add(order);
  return { status: 201, body: JSON.stringify(order) };
}

function taskSettings(
  method: string,
  body: Json | undefined,
  tasks: LiveTaskSettings,
): ControlAnswer {
  if (method === "PATCH") changeTaskSettings(body, tasks);
  else if (method === "DELETE") tasks.reset();
  else if (method !== "GET") {
    return failure(405, "Use GET to see the settings, PATCH to change some, DELETE to reset them.");
  }
  return { status: 200, body: JSON.stringify(taskSettingsBody(tasks)) };
}

function failure(status: number, message: string): ControlAnswer {
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
