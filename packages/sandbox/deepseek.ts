import { check, DEEPSEEK_MODELS, isThinking } from "./deepseek/rules.ts";
import { orderedDetail, type ErrorDetail } from "./openai/error.ts";
import { thinkingVendor } from "./openai/thinking-vendor.ts";
import type { JsonObject } from "./json.ts";
import type { VendorFactory } from "./vendor.ts";

/** DeepSeek, at its usual address and at the one for trials: https://api-docs.deepseek.com */
export const deepseek: VendorFactory = (options) => {
  const at = (base: string) =>
    thinkingVendor(
      {
        id: "deepseek",
        base,
        models: DEEPSEEK_MODELS,
        check: (body, model) => check(body, model, base === BETA),
        isThinking,
        maxStops: 16,
        balance: { path: "/user/balance", answer: BALANCE },
        refusal: (_status, detail) => errorBody(detail),
        failure: (error) => errorBody(orderedDetail(error)),
      },
      options,
    );
  const [usual, beta] = [at("/v1"), at(BETA)];
  return {
    ...usual,
    reply: (request) => (request.path.startsWith(BETA) ? beta : usual).reply(request),
  };
};

const BETA = "/beta";
const BALANCE = {
  is_available: true,
  balance_infos: [
    {
      currency: "CNY",
      total_balance: "110.00",
      granted_balance: "10.00",
      topped_up_balance: "100.00",
    },
  ],
};

function errorBody({ message, type, code }: ErrorDetail): JsonObject {
  const usual = "invalid_request_error";
  return { error: { message, type: type ?? usual, param: null, code: code ?? usual } };
}
