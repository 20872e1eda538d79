import { withBalance } from "./openai/with-balance.ts";
import type { VendorFactory } from "./vendor.ts";

/** SiliconFlow: https://docs.siliconflow.cn/cn/api-reference/userinfo/get-user-info */
export const siliconflow: VendorFactory = (options) =>
  withBalance(
    { id: "siliconflow", prefix: "", balance: { path: "/v1/user/info", answer: BALANCE } },
    options,
  );

const BALANCE = {
  code: 20_000,
  message: "OK",
  status: true,
  data: {
    id: "userid",
    name: "username",
    image: "",
    email: "user@example.com",
    isAdmin: false,
    balance: "0.88",
    status: "normal",
    introduction: "",
    role: "",
    chargeBalance: "88.00",
    totalBalance: "88.88",
  },
};
