import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../client/call.ts";
import { crowd } from "../client/crowd.ts";
import { REFUSED } from "../field.ts";
import type { Experiment } from "./experiment.ts";

const REFUSED_CALLS = 3;
const OTHERS = 10;
const LOOK_MS = 500;
const MOST_CLOSED_MS = 90_000;

export const ONE_CALLER: Experiment = {
  id: "one-caller",
  title: "A prompt that the vendor refuses",
  rule: "The refusal of one caller's prompt closes the model for nobody else.",
  async run({ gateway: { url }, accounts, nextId, request }) {
    const refused = await accounts.createKey({ name: "truth-refused" });
    const other = await accounts.createKey({ name: "truth-other" });
    const ask = (secret: string, isRefused: boolean) => () =>
      call({
        url,
        secret,
        model: request(REFUSED),
        plan: { id: nextId(), tokens: 5, isRefused },
        isStream: false,
      });
    await crowd(REFUSED_CALLS, 1, ask(refused.secret, true));
    const closedAt = performance.now();
    const outcomes = await crowd(OTHERS, 1, ask(other.secret, false));
    const served = outcomes.filter(({ end, tokens }) => end === "whole" && tokens > 0).length;

    let closedMs = 0;
    while (served < OTHERS && closedMs < MOST_CLOSED_MS) {
      await sleep(LOOK_MS);
      const { tokens } = await ask(other.secret, false)();
      closedMs = performance.now() - closedAt;
      if (tokens > 0) break;
    }
    const seconds = Math.round(closedMs / 1000);
    return {
      holds: served === OTHERS,
      figures: { refused: REFUSED_CALLS, others: OTHERS, served, "closed for s": seconds },
      sentence: `After ${REFUSED_CALLS} refused prompts of one key, ${served} of ${OTHERS} calls of another were served${served === OTHERS ? "" : `; the model was closed for ${seconds} s`}.`,
    };
  },
};
