import { setTimeout as sleep } from "node:timers/promises";
import type { Outcome } from "../client/call.ts";
import { crowd } from "../client/crowd.ts";
import { PRICES, settledSpend, type Field } from "../field.ts";
import type { Key } from "../gateway/adapter.ts";
import { PROMPT_TOKENS } from "../vendor/plan.ts";
import { costOf } from "../vendor/record.ts";
import { callMany, callOnce } from "./call-many.ts";
import { percent, scaled, usd, type Experiment, type Finding } from "./experiment.ts";

const ROUNDS = 10;
const LEAST_ROUNDS = 2;
const LOAD_MS = 2_000;
const CALLERS = 16;
const TOKENS = 20;
const ANSWERS = 1_000;
const LEAST_ANSWERS = 100;
const RULE =
  "Each answer that arrived is charged and logged after the next start, and no call is charged twice.";

export const KILLS_UNDER_LOAD: Experiment = {
  id: "kills",
  title: "Killed under load",
  rule: RULE,
  async run(field) {
    const key = await field.accounts.createKey({ name: "truth-kills" });
    const rounds = scaled(field, ROUNDS, LEAST_ROUNDS);
    const outcomes: Outcome[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const load = { isOver: false };
      const callers = crowd(CALLERS, CALLERS, async (number) => {
        while (!load.isOver) outcomes.push(await callOnce(field, key, callOf(number)));
      });
      // Another moment of the gateway's batches in each round.
      await sleep(LOAD_MS * (0.5 + (round % 5) / 4));
      load.isOver = true;
      await field.gateway.end("SIGKILL");
      await callers;
      await field.restart();
    }
    return await judge(field, key, outcomes, { kills: rounds });
  },
};

export const KILL_AFTER_ANSWERS: Experiment = {
  id: "kill-after-answers",
  title: "Killed right after its last answer",
  rule: RULE,
  async run(field) {
    const key = await field.accounts.createKey({ name: "truth-kill-after" });
    const count = scaled(field, ANSWERS, LEAST_ANSWERS);
    const outcomes = await callMany(field, key, { count, atOnce: CALLERS }, callOf);
    await field.gateway.end("SIGKILL");
    await field.restart();
    return await judge(field, key, outcomes, { kills: 1 });
  },
};

/** Streams and whole answers in turn. */
function callOf(number: number) {
  const isStream = number % 2 === 1;
  return { tokens: TOKENS, pauseMs: isStream ? 1 : 5, isStream };
}

async function judge(
  field: Field,
  key: Key,
  outcomes: readonly Outcome[],
  more: Finding["figures"],
): Promise<Finding> {
  const price = costOf({ input: PROMPT_TOKENS, output: TOKENS }, PRICES);
  const arrived = outcomes.filter(({ end, tokens }) => end === "whole" && tokens === TOKENS).length;
  // A call that was cut may be charged for what the vendor wrote.
  const cut = outcomes.filter(({ id, end }) => end === "told" && field.vendor.records.has(id));
  const least = arrived * price;
  const most = least + cut.length * price;
  const charged = await settledSpend(field, key);
  const rows = await field.accounts.callsOf?.(key);
  const lost = Math.max(0, least - charged);
  const doubled = Math.max(0, charged - most);
  const lostRows = rows === undefined ? 0 : Math.max(0, arrived - rows);
  return {
    holds: lost <= 1e-9 && doubled <= 1e-9 && lostRows === 0 && arrived > 0,
    figures: {
      ...more,
      answers: arrived,
      cut: cut.length,
      charged: usd(charged),
      "money lost": percent(lost, least),
      "charged too much": usd(doubled),
      "rows lost": rows === undefined ? "no log" : percent(lostRows, arrived),
    },
    sentence: `Of ${arrived} answers, ${percent(lost, least)} of the money and ${percent(lostRows, arrived)} of the log's rows were lost; ${usd(doubled)} was charged too much.`,
  };
}
