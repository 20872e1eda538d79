import type { JsonObject } from "@sluice/sandbox/json.ts";
import { field, readText, required } from "@sluice/sandbox/openai/fields.ts";
import { invalidParameter } from "./error.ts";

/** An address on the web; whether there is something at it is seen later. */
export function readUrl(body: JsonObject, name: string): string {
  const text = required(field(body, name), readText(field(body, name)));
  const { protocol = "" } = URL.parse(text) ?? {};
  if (/^https?:$/.test(protocol)) return text;
  throw invalidParameter(name, "expected a URL of http or https");
}
