import { withBalance } from "./openai/with-balance.ts";
import type { VendorFactory } from "./vendor.ts";

/** OpenRouter: https://openrouter.ai/docs/api/api-reference/api-keys/get-current-key */
export const openrouter: VendorFactory = (options) =>
  withBalance(
    { id: "openrouter", prefix: "/api", balance: { path: "/api/v1/key", answer: KEY } },
    options,
  );

const KEY = {
  data: {
    label: "sk-or-v1-0e6...1c96",
    limit: 100,
    limit_reset: "monthly",
    limit_remaining: 74.5,
    include_byok_in_limit: false,
    usage: 25.5,
    usage_daily: 25.5,
    usage_weekly: 25.5,
    usage_monthly: 25.5,
    byok_usage: 0,
    byok_usage_daily: 0,
    byok_usage_weekly: 0,
    byok_usage_monthly: 0,
    is_free_tier: false,
    is_provisioning_key: false,
    expires_at: null,
  },
};
