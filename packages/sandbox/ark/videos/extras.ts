import { isJsonObject, type JsonObject } from "@sluice/sandbox/json.ts";
import {
  field,
  readBoolean,
  readChoice,
  readInteger,
  readList,
  readText,
} from "@sluice/sandbox/openai/fields.ts";
import { invalidField } from "./error.ts";
import type { VideoModel } from "./models.ts";

/** Options that do not change the video, or that only some models support. */
export interface Extras {
  readonly tier: "default" | "flex";
  readonly expiresAfterSeconds: number;
  readonly returnsLastFrame: boolean;
  readonly callbackUrl: string | undefined;
  readonly isDraft: boolean;
  readonly priority: number | undefined;
  readonly searches: boolean;
  readonly safetyIdentifier: string | undefined;
  readonly format: "mp4" | "mov";
}

export function readExtras(body: JsonObject): Extras {
  readBoolean(field(body, "watermark"));
  readText(field(body, "omni_reference_task_type"));
  return {
    tier: readChoice(field(body, "service_tier"), ["default", "flex"]) ?? "default",
    expiresAfterSeconds:
      readInteger(field(body, "execution_expires_after"), 3_600, 259_200) ?? 172_800,
    returnsLastFrame: readBoolean(field(body, "return_last_frame")) ?? false,
    callbackUrl: readCallback(body),
    isDraft: readBoolean(field(body, "draft")) ?? false,
    priority: readInteger(field(body, "priority"), 0, 9),
    searches: readTools(body),
    safetyIdentifier: readText(field(body, "safety_identifier"), 64),
    format: readChoice(field(body, "output_format"), ["mp4", "mov"]) ?? "mp4",
  };
}

/** Refuses fields that the model does not support. */
export function checkExtras(extras: Extras, body: JsonObject, { series }: VideoModel): void {
  const isSecond = series === "2.0";
  // Nothing is documented of 2.5.
  const isEarlier = series === "1.0" || series === "1.5";
  const strangers: readonly (readonly [string, boolean])[] = [
    ["service_tier", extras.tier === "flex" && isSecond],
    ["draft", extras.isDraft && series !== "1.5" && series !== "2.5"],
    ["tools", extras.searches && isEarlier],
    ["priority", field(body, "priority").value !== undefined && isEarlier],
    ["output_format", extras.format === "mov" && series !== "2.5"],
  ];
  const stranger = strangers.find(([, isOdd]) => isOdd);
  if (stranger !== undefined) throw invalidField(stranger[0], "not supported by the current model");
}

function readCallback(body: JsonObject): string | undefined {
  const address = readText(field(body, "callback_url"));
  if (address === undefined || address === "") return undefined;
  if (!/^https?:\/\/[^/\s]+/.test(address)) throw invalidField("callback_url", "expected a URL");
  return address;
}

function readTools(body: JsonObject): boolean {
  const tools = readList(field(body, "tools"), 0, 10) ?? [];
  if (tools.some((tool) => !isJsonObject(tool) || tool["type"] !== "web_search"))
    throw invalidField("tools.type", "expected web_search as the type of every tool");
  return tools.length > 0;
}
