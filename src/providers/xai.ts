import type { JsonObject } from "#lib/json.ts";
import { adaptToDialect, type ChatDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { generatesLike } from "./compatible-images.ts";
import { bearer, type Provider } from "./provider.ts";

const DIALECT: ChatDialect = { reasoning: "effort", namedRoles: ["user", "tool"] };
const REASONER: ChatDialect = {
  ...DIALECT,
  refuses: ["stop", "presence_penalty", "frequency_penalty"],
};

/**
 * xAI's reasoning models refuse stop sequences and penalties. All refuse the name of a system or
 * assistant message (reports of 2025); names of tools are recorded with a 200.
 */
export const xai: Provider = {
  id: "xai",
  name: "xAI",
  prefixes: ["x-ai"],
  docs: "https://docs.x.ai/docs/api-reference",
  baseUrl: "https://api.x.ai/v1",
  keyVariable: "XAI_API_KEY",
  needsKey: true,
  text: [
    {
      style: chat,
      path: "/chat/completions",
      isFaithful: true,
      dialect: { ...DIALECT },
      adaptRequest: (body, _model, report) =>
        adaptToDialect(body, isReasoner(body) ? REASONER : DIALECT, report),
    },
  ],
  images: [
    {
      ...generatesLike({
        takes: ["n", "response_format", "aspect_ratio", "image_size", "user"],
        names: { image_size: "resolution" },
        words: { image_size: { "1K": "1k", "2K": "2k" } },
        maxPictures: 0,
      }),
      serves: (model) => model.includes("image"),
    },
  ],
  modelsPath: "/models",
  authorize: bearer,
};

function isReasoner({ model }: JsonObject): boolean {
  if (typeof model !== "string") return false;
  if (model.includes("non-reasoning")) return false;
  return (
    model.startsWith("grok-3-mini") || model.startsWith("grok-4") || model.includes("reasoning")
  );
}
