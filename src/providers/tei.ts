import { isObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { embeddings } from "#styles/embedding/openai/index.ts";
import { tei as ranks } from "#styles/rerank/tei.ts";
import { bearer, type Provider } from "./provider.ts";

/** The server's default maximum of texts per request, unless its operator changed it. */
const MAX_INPUTS = 32;

/** Text Embeddings Inference: a server of one model, for embeddings or rerank. */
export const tei: Provider = {
  id: "tei",
  name: "Text Embeddings Inference",
  docs: "https://huggingface.co/docs/text-embeddings-inference",
  baseUrl: "http://127.0.0.1:3000",
  needsKey: false,
  isLocal: true,
  text: [],
  embeddings: [
    {
      style: embeddings,
      path: "/v1/embeddings",
      maxInputs: MAX_INPUTS,
      dialect: { encoding: "base64", takesTokens: true, takesUser: true },
    },
  ],
  rerank: [{ style: ranks, path: "/rerank", maxInputs: MAX_INPUTS }],
  modelsPath: "/info",
  authorize: bearer,

  readModels(info) {
    const model = isObject(info) ? textOf(info["model_id"]) : undefined;
    return model === undefined ? [] : [{ id: model }];
  },
};
