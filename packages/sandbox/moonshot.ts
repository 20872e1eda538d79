import type { JsonObject } from "./json.ts";
import { check, isThinking, KIMIS } from "./moonshot/rules.ts";
import { orderedDetail, type ErrorDetail } from "./openai/error.ts";
import { thinkingVendor } from "./openai/thinking-vendor.ts";
import type { VendorFactory } from "./vendor.ts";

/** Moonshot AI's Kimi: https://platform.kimi.ai/docs */
export const moonshot: VendorFactory = (options) =>
  thinkingVendor(
    {
      id: "moonshot",
      base: "/v1",
      models: KIMIS,
      check,
      isThinking,
      balance: { path: "/v1/users/me/balance", answer: BALANCE },
      refusal: (_status, detail) => errorBody(detail),
      failure: (error) => errorBody(orderedDetail(error)),
    },
    options,
  );

const BALANCE = {
  code: 0,
  data: { available_balance: 49.58894, voucher_balance: 46.58893, cash_balance: 3.00001 },
  scode: "0x0",
  status: true,
};

function errorBody({ message, type = "invalid_request_error" }: ErrorDetail): JsonObject {
  return { error: { message, type } };
}
