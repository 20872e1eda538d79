import type { ShownSetting } from "#core/setting.ts";
import type { JsonObject } from "#lib/json.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { either, number, object, text } from "#lib/rules.ts";
import { decimalOf } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import type { Exchange, Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { readFields } from "../read-fields.ts";

const MAX_CHARS = 10_000;
const MAX_NUMBER = 1e15;

const VALUE = object({
  "value!": {
    ...either(text({ maxLength: MAX_CHARS }), number(0, MAX_NUMBER)),
    doc: "In the words of the file.",
    // Somebody may try to set what is a secret.
    isSecret: true,
  },
});

export const listSettings: Route<HttpDeps> = {
  method: "GET",
  path: "/api/setting",
  access: "auditor",
  summary:
    "Every setting: what it is and who says so, what it takes, and whether it can be changed " +
    "here. Secrets are not shown.",
  renderError: renderFailure,

  handle({ id }, { settings }) {
    return succeed(id, "", { items: settings.list().map(showSetting) });
  },
};

const change = { path: "/api/setting/:name", access: "root", renderError: renderFailure } as const;

export const putSetting: Route<HttpDeps> = {
  ...change,
  method: "PUT",
  summary: "Changes a setting that neither a variable nor the file says.",
  requestSchema: () => schemaOf(VALUE),

  async handle(exchange, { settings }) {
    const { value } = await readFields(exchange, VALUE);
    const changed = await settings.set(exchange.param("name"), decimalOf(value) ?? "");
    return tell(exchange, "The setting was changed", changed);
  },
};

export const deleteSetting: Route<HttpDeps> = {
  ...change,
  method: "DELETE",
  summary: "Takes back what was said of a setting here: its default holds again.",

  async handle(exchange, { settings }) {
    const changed = await settings.reset(exchange.param("name"));
    return tell(exchange, "The setting was taken back", changed);
  },
};

function tell(exchange: Exchange, what: string, setting: ShownSetting): Response {
  exchange.note({ stored: setting.stored ?? null });
  const when = setting.onset === "restart" ? "; it holds from the next start" : "";
  return succeed(exchange.id, `${what}${when}.`, showSetting(setting));
}

function showSetting(setting: ShownSetting): JsonObject {
  return {
    name: setting.name,
    variable: setting.variable,
    value: setting.value ?? null,
    source: setting.source,
    place: setting.place ?? null,
    stored: setting.stored ?? null,
    default: setting.default ?? null,
    takes: setting.takes,
    doc: setting.doc,
    // When a change holds; null for what can only be changed where `place` or `variable` says.
    changes: setting.onset ?? null,
  };
}
