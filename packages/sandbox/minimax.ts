import { textOfContent } from "./ark/videos/content.ts";
import { isJsonObject } from "./json.ts";
import { minimaxEndpoints, versionIn } from "./minimax/endpoints.ts";
import { failureBody } from "./minimax/error.ts";
import { textEndpoints } from "./minimax/text/endpoints.ts";
import type { VendorFactory } from "./vendor.ts";

/** MiniMax's texts and its videos, whose older version knows three calls for one: https://platform.minimax.io/docs */
export const minimax: VendorFactory = (options) => {
  const videos = minimaxEndpoints(options);
  const text = textEndpoints(options);
  return {
    id: "minimax",
    reply: (request) => text.reply(request) ?? videos(request),
    lastUserText(body) {
      const prompt = isJsonObject(body) ? body["prompt"] : undefined;
      if (typeof prompt === "string") return prompt;
      const isText = isJsonObject(body) && body["messages"] !== undefined;
      return isText ? text.chat.lastUserText(body) : (textOfContent(body) ?? "");
    },
    errorBody: (error, path) => failureBody(error, isText(path) ? "v2" : versionIn(path)),
    errorFrame: (error) => ({
      kind: "error",
      data: JSON.stringify(failureBody(error, "v2")),
      tokens: 0,
    }),
  };
};

function isText(path: string): boolean {
  return path === "/v1/chat/completions" || path.startsWith("/anthropic/");
}
