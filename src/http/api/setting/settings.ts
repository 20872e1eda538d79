import { z } from "zod";
import type { ShownSetting } from "#core/setting.ts";
import type { JsonObject } from "#lib/json.ts";
import type { SettingDeps } from "#http/deps/settings.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { items, management } from "../management.ts";

const MAX_CHARS = 10_000;
const MAX_NUMBER = 1e15;

const VALUE = z.strictObject({
  value: z
    .union([z.string().max(MAX_CHARS), z.number().min(0).max(MAX_NUMBER)])
    // Somebody may try to set what is a secret.
    .meta({ writeOnly: true, description: "In the notation of the file." })
    .transform(String),
});

const SETTING = z
  .object({
    name: z.string(),
    variable: z.string(),
    value: z.string().nullable(),
    source: z.enum(["environment", "file", "stored", "default"]),
    place: z.string().nullable(),
    stored: z.string().nullable(),
    default: z.string().nullable(),
    takes: z.string(),
    doc: z.string(),
    changes: z.string().nullable(),
  })
  .meta({ id: "Setting" });

export const listSettings = management({
  operationId: "listSettings",
  tag: "Settings",
  method: "GET",
  path: "/api/setting",
  access: "auditor",
  scope: "settings:read",
  summary:
    "All settings: value, source, valid values, and whether they can change " +
    "at run time. Secrets are not shown.",
  data: items(SETTING),

  handle({ id }, { settings }: Pick<SettingDeps, "settings">) {
    return succeed(id, "", { items: settings.list().map(showSetting) });
  },
});

const change = { path: "/api/setting/:name", access: "root", data: SETTING } as const;

export const putSetting = management({
  operationId: "putSetting",
  tag: "Settings",
  ...change,
  scope: "settings:write",
  method: "PUT",
  summary: "Changes a setting that neither a variable nor the file sets.",
  body: VALUE,

  async handle(exchange, { settings }: Pick<SettingDeps, "settings">, { body: { value } }) {
    const changed = await settings.set(exchange.param("name"), value);
    return tell(exchange, "The setting was changed", changed);
  },
});

export const deleteSetting = management({
  operationId: "deleteSetting",
  tag: "Settings",
  ...change,
  scope: "settings:write",
  method: "DELETE",
  summary: "Deletes the stored value of a setting: its default applies again.",

  async handle(exchange, { settings }: Pick<SettingDeps, "settings">) {
    const changed = await settings.reset(exchange.param("name"));
    return tell(exchange, "The setting was taken back", changed);
  },
});

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
