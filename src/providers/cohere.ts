import { listOf, memberOf, textOf } from "#lib/values.ts";
import { embedTexts } from "#styles/embedding/cohere/index.ts";
import { bearer, type Provider } from "./provider.ts";

/** Its texts come through the library that knows them; here it makes vectors. */
export const cohere: Provider = {
  id: "cohere",
  name: "Cohere",
  docs: "https://docs.cohere.com/reference/embed",
  baseUrl: "https://api.cohere.com/v2",
  keyVariable: "COHERE_API_KEY",
  needsKey: true,
  text: [],
  embeddings: [{ style: embedTexts, path: "/embed", maxInputs: 96 }],
  modelsPath: "/../v1/models?page_size=1000",
  authorize: bearer,

  readModels(list) {
    return listOf(memberOf(list, "models")).flatMap((model) => {
      const name = textOf(memberOf(model, "name"));
      const embeds = listOf(memberOf(model, "endpoints")).includes("embed");
      return name !== undefined && embeds ? [name] : [];
    });
  },
};
