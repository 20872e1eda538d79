import { isArray, isObject } from "#lib/json.ts";
import { batchEmbedContents } from "#styles/embedding/gemini/index.ts";
import type { GeminiDialect } from "#styles/text/gemini/request/fit-request.ts";
import { gemini as native } from "#styles/text/gemini/index.ts";
import { nativePictures, onlyDraws } from "./native-pictures.ts";
import { nativeVideos } from "./native-videos.ts";
import { readNative } from "#styles/model-list/native-in.ts";
import { secretIn, type Provider } from "./provider.ts";

/** Methods that the gateway calls; other models in the list serve other purposes. */
const METHODS = ["generateContent", "embedContent", "predict", "predictLongRunning"];

/** Labels are for billing, which this host does without them. */
const DIALECT: GeminiDialect = { refuses: ["labels"] };

export const gemini: Provider = {
  id: "gemini",
  name: "Google Gemini",
  prefixes: ["google"],
  docs: "https://ai.google.dev/api/generate-content",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  keyVariable: "GEMINI_API_KEY",
  needsKey: true,
  text: [
    {
      style: native,
      serves: (model) => !onlyDraws(model),
      path: (model, stream) =>
        `/models/${encodeURIComponent(model)}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
      isFaithful: true,
      dialect: { ...DIALECT },
      inlines: ["image", "audio", "video", "file"],
    },
  ],
  embeddings: [
    {
      style: batchEmbedContents,
      path: (model) => `/models/${encodeURIComponent(model)}:batchEmbedContents`,
      maxInputs: 100,
    },
  ],
  images: nativePictures({
    path: (model, verb) => `/models/${encodeURIComponent(model)}:${verb}`,
    native: {},
    imagen: { sizeMember: "imageSize" },
  }),
  videos: nativeVideos({
    path: (model) => `/models/${encodeURIComponent(model)}:predictLongRunning`,
    look: { method: "GET", path: ({ upstreamId }) => `/${upstreamId}` },
    linksNeedKey: true,
    dialect: {
      videoAs: "encoded",
      people: { withoutPictures: ["allow_all", "allow_adult"], withPictures: ["allow_adult"] },
    },
    second: {
      people: {
        withoutPictures: ["allow_all", "allow_adult", "dont_allow"],
        withPictures: ["allow_adult", "dont_allow"],
      },
    },
  }),
  modelsPath: "/models?pageSize=1000",
  models: [
    "veo-2.0-generate-001",
    "veo-3.0-generate-001",
    "veo-3.0-fast-generate-001",
    "veo-3.1-generate-001",
    "veo-3.1-fast-generate-001",
    "veo-3.1-lite-generate-001",
  ],
  authorize: secretIn("x-goog-api-key"),

  readModels(list) {
    const models = isObject(list) ? list["models"] : undefined;
    return (isArray(models) ? models : []).filter(isObject).flatMap((model) => {
      const { name, supportedGenerationMethods: methods } = model;
      const isOurs = !isArray(methods) || METHODS.some((method) => methods.includes(method));
      return typeof name === "string" && isOurs ? [readNative(model)] : [];
    });
  },
};
