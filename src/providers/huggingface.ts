import { inDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";

/** Routes calls to hosts, several of which send usage without being asked. */
export const huggingface: Provider = {
  id: "huggingface",
  name: "Hugging Face",
  docs: "https://huggingface.co/docs/inference-providers",
  baseUrl: "https://router.huggingface.co/v1",
  keyVariable: "HUGGINGFACE_API_KEY",
  needsKey: true,
  text: [
    {
      style: chat,
      path: "/chat/completions",
      isFaithful: true,
      ...inDialect({ sendsUsageUnasked: true }),
    },
  ],
  modelsPath: "/models",
  authorize: bearer,
};
