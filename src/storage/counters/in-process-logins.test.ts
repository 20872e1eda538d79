import { describeLogins } from "#test/storage/contract-logins.ts";
import { InProcessLogins } from "./in-process-logins.ts";

describeLogins("in one process", async () => {
  let now = 0;
  return {
    limiter: new InProcessLogins({ monotonic: () => now }),
    pass: async (ms) => void (now += ms),
    [Symbol.asyncDispose]: async () => {},
  };
});
