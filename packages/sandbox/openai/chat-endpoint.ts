import { prefixCache, type PrefixCache } from "../prefix-cache.ts";
import type { VendorRequest } from "../vendor.ts";
import { eventsReply, type Reply } from "../wire/reply.ts";
import { chatReply } from "./chat-reply.ts";
import { chunkFrames } from "./chunks.ts";
import { completion } from "./completion.ts";
import type { ChatDialect } from "./dialect.ts";
import { invalid } from "./error.ts";
import { cacheUse, readPromptCaching } from "./prompt-caching.ts";
import { countPromptTokens, messageText } from "./prompt-tokens.ts";
import { readChatRequest, type ChatRequest } from "./request.ts";

type ChatEndpoint = (call: VendorRequest, headers: Readonly<Record<string, string>>) => Reply;

/** Chat completions of one vendor. Throws `ApiError` if the vendor refuses the request. */
export function chatEndpoint(
  dialect: ChatDialect,
  { now, cache = prefixCache() }: { readonly now: () => number; readonly cache?: PrefixCache },
): ChatEndpoint {
  return (call, headers) => {
    const request = readChatRequest(call.body, dialect.request);
    const found = request.search === undefined ? "" : JSON.stringify(request.search.pages);
    const prompt = countPromptTokens(request.messages, request.toolsText, found);
    checkContext(request, prompt.total);
    const caching = readPromptCaching(request.body, request.model, "chat");
    const cachedTokens = cache.visit(
      `${request.model.id}\n${request.toolsText}\n${request.messages.map(messageText).join("\n")}`,
    );
    const answer = chatReply(request, dialect.answer, call.faults, now(), {
      prompt,
      cache: cacheUse(caching, prompt.total, cachedTokens),
    });
    return request.isStream
      ? eventsReply(chunkFrames(answer), headers)
      : completion(answer, headers);
  };
}

function checkContext({ model }: ChatRequest, total: number): void {
  if (total <= model.contextTokens) return;
  throw invalid(
    "messages",
    "context_length_exceeded",
    `This model's maximum context length is ${model.contextTokens} tokens. However, your messages resulted in ${total} tokens.`,
  );
}
