import { setTimeout as sleep } from "node:timers/promises";
import { billedFor, isSameMoney, settledSpend } from "../field.ts";
import { callMany } from "./call-many.ts";
import { percent, scaled, usd, type Experiment } from "./experiment.ts";

const STREAMS = 20;
const STREAM_TOKENS = 60;
const STREAM_PAUSE_MS = 50;
const ANSWERS = 200;
const LEAST_ANSWERS = 50;

export const STREAMS_AT_SHUTDOWN: Experiment = {
  id: "streams-at-shutdown",
  title: "SIGTERM while streams run",
  rule: "Running streams arrive whole and are charged, and then the process ends.",
  async run(field) {
    const key = await field.accounts.createKey({ name: "truth-shutdown-streams" });
    const running = callMany(field, key, { count: STREAMS, atOnce: STREAMS }, () => ({
      tokens: STREAM_TOKENS,
      pauseMs: STREAM_PAUSE_MS,
      isStream: true,
    }));
    await sleep((STREAM_TOKENS * STREAM_PAUSE_MS) / 3);
    const ending = field.gateway.end("SIGTERM").then(
      () => true,
      () => false,
    );
    const outcomes = await running;
    const hasEnded = await ending;
    if (!hasEnded) await field.gateway.end("SIGKILL");
    await field.restart();

    const whole = outcomes.filter(({ tokens }) => tokens === STREAM_TOKENS).length;
    const billed = billedFor(field, outcomes);
    const charged = await settledSpend(field, key);
    return {
      holds: hasEnded && whole === STREAMS && isSameMoney(charged, billed),
      figures: {
        streams: STREAMS,
        whole,
        ended: hasEnded ? "yes" : "no",
        billed: usd(billed),
        charged: usd(charged),
      },
      sentence: `${whole} of ${STREAMS} streams arrived whole; the vendor bills ${usd(billed)}, ${usd(charged)} was charged.`,
    };
  },
};

export const SHUTDOWN_AFTER_ANSWERS: Experiment = {
  id: "shutdown-after-answers",
  title: "SIGTERM right after its last answer",
  rule: "All answers are charged after the next start.",
  async run(field) {
    const key = await field.accounts.createKey({ name: "truth-shutdown-answers" });
    const count = scaled(field, ANSWERS, LEAST_ANSWERS);
    const outcomes = await callMany(field, key, { count, atOnce: 16 }, () => ({
      tokens: 20,
      isStream: false,
    }));
    await field.gateway.end("SIGTERM").catch(() => field.gateway.end("SIGKILL"));
    await field.restart();
    const billed = billedFor(field, outcomes);
    const charged = await settledSpend(field, key);
    const lost = Math.max(0, billed - charged);
    return {
      holds: isSameMoney(charged, billed),
      figures: {
        answers: count,
        billed: usd(billed),
        charged: usd(charged),
        "money lost": percent(lost, billed),
      },
      sentence: `${percent(lost, billed)} of ${usd(billed)} for ${count} answers was lost.`,
    };
  },
};
