import type { JsonObject } from "../json.ts";
import { field, readBoolean, readObject, readText } from "../openai/fields.ts";
import { invalidValue } from "./error.ts";
import type { KlingOrder } from "./order.ts";

/** Fields of both styles: in the body, or in its options. */
export function readCommon(
  body: JsonObject,
): Pick<KlingOrder, "callbackUrl" | "externalId" | "hasWatermark"> {
  const callbackUrl = readText(field(body, "callback_url"));
  if (callbackUrl !== undefined && callbackUrl !== "" && !/^https?:\/\/[^/\s]/.test(callbackUrl))
    throw invalidValue("callback_url", "must be a URL");
  const watermark = readObject(field(body, "watermark_info")) ?? {};
  const hasWatermark = readBoolean(field(watermark, "enabled", "watermark_info.enabled"));
  return {
    callbackUrl: callbackUrl || undefined,
    externalId: readText(field(body, "external_task_id"), 512) || undefined,
    hasWatermark: hasWatermark ?? false,
  };
}
