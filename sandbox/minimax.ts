import { textOfContent } from "./ark/videos/content.ts";
import { isJsonObject } from "./json.ts";
import { minimaxEndpoints, versionIn } from "./minimax/endpoints.ts";
import { failureBody } from "./minimax/error.ts";
import type { VendorFactory } from "./vendor.ts";

/** MiniMax's videos, whose older version knows three calls for one: https://platform.minimax.io/docs */
export const minimax: VendorFactory = (options) => ({
  id: "minimax",
  reply: minimaxEndpoints(options),
  lastUserText(body) {
    const prompt = isJsonObject(body) ? body["prompt"] : undefined;
    return typeof prompt === "string" ? prompt : (textOfContent(body) ?? "");
  },
  errorBody: (error, path) => failureBody(error, versionIn(path)),
  errorFrame: (error) => ({
    kind: "error",
    data: JSON.stringify(failureBody(error, "v2")),
    tokens: 0,
  }),
});
