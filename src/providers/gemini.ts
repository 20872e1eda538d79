import { isArray, isObject } from "#lib/json.ts";
import { gemini as native } from "#styles/text/gemini/index.ts";
import type { Provider } from "./provider.ts";

export const gemini: Provider = {
  id: "gemini",
  name: "Google Gemini",
  docs: "https://ai.google.dev/api/generate-content",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  keyVariable: "GEMINI_API_KEY",
  needsKey: true,
  text: [
    {
      style: native,
      path: (model, stream) =>
        `/models/${encodeURIComponent(model)}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
      isFaithful: true,
      inlines: ["image", "audio", "video", "file"],
    },
  ],
  modelsPath: "/models?pageSize=1000",
  authorize: (secret) => ({ "x-goog-api-key": secret }),

  readModels(list) {
    const models = isObject(list) ? list["models"] : undefined;
    return (isArray(models) ? models : []).filter(isObject).flatMap((model) => {
      const { name, supportedGenerationMethods: methods } = model;
      const generates = !isArray(methods) || methods.includes("generateContent");
      return typeof name === "string" && generates ? [name.replace(/^models\//, "")] : [];
    });
  },
};
