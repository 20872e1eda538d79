import type { JsonObject } from "@sluice/sandbox/json.ts";
import { invalidParams } from "../error.ts";
import {
  checkLimit,
  thinkingModel,
  thinkingTypeIn,
  type ThinkingModel,
} from "@sluice/sandbox/openai/thinking-vendor.ts";

export const WRITERS: readonly ThinkingModel[] = [
  thinkingModel("MiniMax-M3", 1_000_000, 128_000),
  thinkingModel("MiniMax-M3.1-Flash", 1_000_000, 512_000),
  thinkingModel("MiniMax-M2.7", 204_800, 131_072),
];

/** Models of the second generation always think, even if asked not to. */
export function isThinking(body: JsonObject, { id }: Pick<ThinkingModel, "id">): boolean {
  return id.startsWith("MiniMax-M2") || thinkingTypeIn(body) !== "disabled";
}

export function check(body: JsonObject, model: ThinkingModel): void {
  const type = thinkingTypeIn(body);
  if (body["thinking"] !== undefined && type !== "adaptive" && type !== "disabled")
    throw invalidParams("thinking.type must be adaptive or disabled");
  if (type === "disabled" && model.id.startsWith("MiniMax-M3."))
    throw invalidParams("requires adaptive thinking");
  checkLimit(body, model, (name, range) => invalidParams(`${name} must be in ${range}`));
}
