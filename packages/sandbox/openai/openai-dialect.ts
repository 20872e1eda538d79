import { isJsonObject } from "../json.ts";
import { hash } from "../engine/random.ts";
import { CHAT_PARAMETERS } from "./chat-parameters.ts";
import type { ChatDialect } from "./dialect.ts";
import { deltaWriter } from "./deltas.ts";
import { field, readChoice } from "./fields.ts";
import { newId } from "./ids.ts";
import { wholeMessage } from "./message.ts";
import { checkSupport } from "./model-support.ts";
import { EVERY_EFFORT, findModel } from "./models.ts";
import { refuseUnknown } from "./unknown-parameters.ts";
import { chatUsage } from "./usage.ts";

export const OPENAI: ChatDialect = {
  request: {
    roles: ["system", "developer", "user", "assistant", "tool", "function"],
    userParts: {},
    findModel,
    checkSupport(body, model) {
      // Models of other vendors, and the sandbox's own, know more.
      if (model.owner === "system") refuseUnknown(body, CHAT_PARAMETERS);
      checkSupport(body, model);
    },
    prepare: (body) => body,
    readThinking(body, model) {
      if (model.thinks === "never") return { effort: "none" };
      // How the vendors of models that show their thoughts have them switched off.
      const thinking = body["thinking"];
      const isOff =
        body["enable_thinking"] === false ||
        (isJsonObject(thinking) && thinking["type"] === "disabled");
      if (model.thinks === "visibly" && isOff) return { effort: "none" };
      const asked = readChoice(field(body, "reasoning_effort"), EVERY_EFFORT);
      return { effort: asked ?? model.usualEffort };
    },
    readSearch: () => undefined,
    needsJsonWord: true,
  },
  answer: {
    newId: () => newId("chatcmpl-", 29),
    newCallId: () => newId("call_", 24),
    common: ({ model, serviceTier }) => ({
      service_tier: serviceTier,
      system_fingerprint: `fp_${hash(model.snapshot).toString(16).padStart(10, "0")}`,
    }),
    message: wholeMessage,
    deltas: deltaWriter,
    chunkChoice: ({ index, delta, logprobs, finish }) => ({
      index,
      delta,
      logprobs,
      finish_reason: finish,
    }),
    usage: chatUsage,
    showsNullUsage: false,
  },
};
