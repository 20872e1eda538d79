import { siliconflowBalance } from "./balances.ts";
import { inDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import { bearer, type Provider } from "./provider.ts";
import { rerankWith } from "./rerank-endpoints.ts";
import { SPEECH, TRANSCRIPTIONS } from "./shared-endpoints.ts";

export const siliconflow: Provider = {
  id: "siliconflow",
  name: "SiliconFlow",
  docs: "https://docs.siliconflow.com",
  baseUrl: "https://api.siliconflow.cn/v1",
  keyVariable: "SILICONFLOW_API_KEY",
  needsKey: true,
  text: [
    {
      style: chat,
      path: "/chat/completions",
      isFaithful: true,
      ...inDialect({ reasoning: "any", topK: true, webSearch: false }),
    },
  ],
  rerank: [
    rerankWith({
      instruction: "instruction",
      instruct: "instruction",
      max_chunks_per_doc: "max_chunks_per_doc",
      overlap_tokens: "overlap_tokens",
    }),
  ],
  shared: [SPEECH, TRANSCRIPTIONS],
  modelsPath: "/models",
  balance: siliconflowBalance,
  authorize: bearer,
};
