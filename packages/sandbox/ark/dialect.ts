import type { JsonObject } from "../json.ts";
import { fromUrl, objectOf, textOf } from "../openai/content-parts.ts";
import type { ChatDialect } from "../openai/dialect.ts";
import { field } from "../openai/fields.ts";
import { newId } from "../openai/ids.ts";
import { plainMessage } from "../openai/plain-message.ts";
import { plainRequest } from "../openai/plain-request.ts";
import { deltaWriter } from "./deltas.ts";
import { unknownModel } from "./error.ts";
import { newRequestId } from "./ids.ts";
import { usage } from "./usage.ts";
import { findArkModel } from "./models.ts";
import { checkParameters } from "./parameters.ts";
import { checkThinking, readThinking } from "./thinking.ts";

/** https://www.volcengine.com/docs/82379/1494384 */
export const ARK: ChatDialect = {
  request: {
    roles: ["system", "user", "assistant", "tool"],
    userParts: {
      video_url(part, path) {
        const url = textOf(objectOf(part, "video_url", path), "url", `${path}.video_url`);
        return { media: fromUrl(url, "video", `${path}.video_url.url`) };
      },
    },
    findModel(id) {
      const model = findArkModel(id);
      if (model === undefined) throw unknownModel(id);
      return model;
    },
    checkSupport(body, { id }) {
      const model = findArkModel(id);
      if (model === undefined) return;
      checkThinking(body, model);
      checkParameters(body, model);
    },
    prepare,
    readThinking(body, { id }) {
      const model = findArkModel(id);
      return model === undefined ? { effort: "none" } : readThinking(body, model);
    },
    readSearch: () => undefined,
    needsJsonWord: false,
  },
  answer: {
    newId: newRequestId,
    newCallId: () => newId("call_", 24).toLowerCase(),
    common: () => ({ service_tier: "default" }),
    message: plainMessage,
    deltas: deltaWriter,
    chunkChoice: ({ index, delta, logprobs, finish }) => ({
      delta,
      ...(finish === null ? {} : { finish_reason: finish }),
      index,
      ...(logprobs === null ? {} : { logprobs }),
    }),
    usage,
    showsNullUsage: true,
  },
};

/** Other choices than the one are not known here, and every answer has a limit. */
function prepare(body: JsonObject): JsonObject {
  const { n: _n, ...plain } = plainRequest(body);
  const isLimited = ["max_tokens", "max_completion_tokens"].some(
    (name) => field(body, name).value !== undefined,
  );
  return isLimited ? plain : { ...plain, max_tokens: USUAL_MAX_TOKENS };
}

const USUAL_MAX_TOKENS = 4_096;
