import type { LiveTaskSettings, TaskSettings } from "./engine/task-settings.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "./json.ts";

/** The answer of `GET /_sandbox/tasks`, with the names of a JSON body. */
export function taskSettingsBody(settings: TaskSettings): JsonObject {
  return {
    queued_ms: settings.queuedMs,
    running_ms: settings.runningMs,
    link_seconds: settings.linkSeconds ?? null,
    parallel: settings.parallel ?? null,
    callback_order: settings.callbackOrder,
    callback_times: settings.callbackTimes,
    callback_retry_ms: settings.callbackRetryMs ?? null,
    callback_secrets: settings.callbackSecrets,
    rate_limits: settings.rateLimits,
    errors_as_200: settings.errorsAs200,
    bare_results: settings.bareResults,
  };
}

/** Changes what is named; all of it, or nothing where one value makes no sense. */
export function changeTaskSettings(body: Json | undefined, settings: LiveTaskSettings): void {
  if (!isJsonObject(body)) throw new TypeError("The body is an object of settings.");
  const changes = Object.entries(body).map(([name, value]) => {
    const read = SETTINGS[name];
    if (read === undefined) {
      throw new TypeError(
        `There is no setting ${name}; there are: ${Object.keys(SETTINGS).join(", ")}.`,
      );
    }
    return read(name, value);
  });
  for (const change of changes) settings.set(change);
}

const SETTINGS: Readonly<Record<string, (name: string, value: Json) => Partial<TaskSettings>>> = {
  queued_ms: (name, value) => ({ queuedMs: whole(name, value, 0, DAY_MS) }),
  running_ms: (name, value) => ({ runningMs: whole(name, value, 0, DAY_MS) }),
  link_seconds: (name, value) => ({ linkSeconds: orNone(name, value, DAY_MS) }),
  parallel: (name, value) => ({ parallel: orNone(name, value, 10_000) }),
  callback_order(name, value) {
    if (value === "straight" || value === "reversed") return { callbackOrder: value };
    throw new TypeError(`${name} is straight or reversed.`);
  },
  callback_times: (name, value) => ({ callbackTimes: whole(name, value, 0, 10) }),
  callback_retry_ms: (name, value) => ({ callbackRetryMs: orNone(name, value, DAY_MS) }),
  callback_secrets(name, value) {
    const secrets = isJsonArray(value) ? value.filter((each) => typeof each === "string") : [];
    if (isJsonArray(value) && secrets.length === value.length) return { callbackSecrets: secrets };
    throw new TypeError(`${name} is a list of texts.`);
  },
  rate_limits: (name, value) => ({ rateLimits: flag(name, value) }),
  errors_as_200: (name, value) => ({ errorsAs200: flag(name, value) }),
  bare_results: (name, value) => ({ bareResults: flag(name, value) }),
};

const DAY_MS = 86_400_000;

function orNone(name: string, value: Json, most: number): number | undefined {
  return value === null ? undefined : whole(name, value, 0, most);
}

function whole(name: string, value: Json, least: number, most: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) {
    return value;
  }
  throw new TypeError(`${name} is a whole number from ${least} to ${most}.`);
}

function flag(name: string, value: Json): boolean {
  if (typeof value === "boolean") return value;
  throw new TypeError(`${name} is true or false.`);
}
