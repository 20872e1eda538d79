import { listOf, memberOf, textOf } from "#lib/values.ts";
import { embedTexts } from "#styles/embedding/cohere/index.ts";
import { bearer, type Provider } from "./provider.ts";
import { COHERE_RERANK } from "./rerank-endpoints.ts";

/** Text goes through the library adapter; embeddings and rerank are served here. */
export const cohere: Provider = {
  id: "cohere",
  name: "Cohere",
  docs: "https://docs.cohere.com/reference/embed",
  baseUrl: "https://api.cohere.com/v2",
  keyVariable: "COHERE_API_KEY",
  needsKey: true,
  text: [],
  embeddings: [{ style: embedTexts, path: "/embed", maxInputs: 96 }],
  rerank: [COHERE_RERANK],
  modelsPath: "/../v1/models?page_size=1000",
  authorize: bearer,

  readModels(list) {
    return listOf(memberOf(list, "models")).flatMap((model) => {
      const name = textOf(memberOf(model, "name"));
      const endpoints = listOf(memberOf(model, "endpoints"));
      const isOurs = endpoints.includes("embed") || endpoints.includes("rerank");
      return name !== undefined && isOurs ? [{ id: name }] : [];
    });
  },
};
