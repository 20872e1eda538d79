import { embeddings } from "#styles/embedding/openai/index.ts";
import { CALL_FEATURES, type RequestRules } from "#core/model.ts";
import { chat } from "#styles/text/chat/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { COMPATIBLE_IMAGES } from "./compatible-images.ts";
import { COMPATIBLE_VIDEOS } from "./openai-videos.ts";
import { bearer, type Provider } from "./provider.ts";
import { rerankWith } from "./rerank-endpoints.ts";
import { AUDIO, MODERATIONS } from "./shared-endpoints.ts";

/** Any server with chat completions; the channel gives its address. */
export const openaiCompatible: Provider = {
  id: "openai-compatible",
  name: "OpenAI-compatible",
  docs: "https://platform.openai.com/docs/api-reference/chat",
  needsKey: false,
  text: [
    { style: chat, path: "/chat/completions", isFaithful: true, dialect: { seed: "any" } },
    {
      style: responses,
      path: "/responses",
      isFaithful: true,
      isOffered: (options) => options["responses"] !== undefined,
    },
  ],
  options: {
    optional: {
      responses: `which calls go to /responses: ${CALL_FEATURES.join(", ")}, or several of them`,
    },
    optionProblems({ responses: said = "" }) {
      const unknown = wordsIn(said).filter((word) => !FEATURES.has(word));
      if (unknown.length === 0) return {};
      return { responses: `names "${unknown[0]}"; it takes ${CALL_FEATURES.join(", ")}.` };
    },
  },
  needsStyle({ responses: said = "" }): RequestRules["needsStyle"] {
    return Object.fromEntries(wordsIn(said).map((word) => [word, responses.id]));
  },
  embeddings: [
    {
      style: embeddings,
      path: "/embeddings",
      maxInputs: 2_048,
      dialect: { takesTokens: true, takesUser: true, carries: "all" },
    },
  ],
  rerank: [rerankWith("all")],
  shared: [...AUDIO, MODERATIONS],
  images: COMPATIBLE_IMAGES,
  videos: COMPATIBLE_VIDEOS,
  modelsPath: "/models",
  authorize: bearer,
};

const FEATURES: ReadonlySet<string> = new Set(CALL_FEATURES);

function wordsIn(list: string): readonly string[] {
  return list.split(/[\s,]+/).filter((word) => word !== "");
}
