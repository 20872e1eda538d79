import { setTimeout as sleep } from "node:timers/promises";
import type { Accounts, Key, Model } from "./gateway/adapter.ts";
import type { GatewayProcess } from "./gateway/process.ts";
import type { Outcome } from "./client/call.ts";
import { billedTokens, costOf, type Prices } from "./vendor/record.ts";
import type { Vendor } from "./vendor/vendor.ts";
import { FAULTS } from "./vendor/faults.ts";

/** What an experiment works with: a running gateway, its accounts and its vendor. */
export interface Field {
  readonly gateway: GatewayProcess;
  readonly accounts: Accounts;
  readonly vendor: Vendor;
  readonly writeDelayMs: number;
  /** Time after which a silent vendor is given up. */
  readonly silenceMs: number;
  /** 1 for the full size of each experiment; smaller for a quick run. */
  readonly scale: number;
  /** Members of a request that name a model. */
  readonly request: (model: string) => Readonly<Record<string, unknown>>;
  /** For each plan another id. */
  readonly nextId: () => string;
  /** Starts the gateway again after its end, with the same data. */
  restart(): Promise<void>;
}

/** Of all models: one US dollar for an input token in a million, and ten for an output token. */
export const PRICES: Prices = { input: 1, output: 10 };

export const GOOD = "truth-good";
export const UNCOUNTED = "truth-uncounted";
/** A model of its own, so that its channel's circuit breaker concerns no other experiment. */
export const REFUSED = "truth-refused";
export const aloneModel = (fault: string): string => `truth-alone-${fault}`;
export const spareModel = (fault: string): string => `truth-spare-${fault}`;

/** Each faulty channel has models of its own, so that no fault closes the channel of another. */
export function modelsOn(vendor: Vendor): readonly Model[] {
  const model = (name: string, ...channels: readonly string[]): Model => ({
    name,
    prices: PRICES,
    channels: channels.map((each, place) => ({
      name: `${name}-${place + 1}`,
      address: vendor.addressOf(each),
    })),
  });
  return [
    model(GOOD, "good"),
    model(UNCOUNTED, "uncounted"),
    model(REFUSED, "good"),
    ...Object.keys(FAULTS).flatMap((fault) => [
      model(aloneModel(fault), fault),
      model(spareModel(fault), fault, "good"),
    ]),
  ];
}

/** The money of a key after everything was written; asked until it no longer changes. */
export async function settledSpend(field: Field, key: Key): Promise<number> {
  const until = performance.now() + field.writeDelayMs;
  let last = await field.accounts.spentBy(key);
  let restsSince = performance.now();
  while (performance.now() < until || performance.now() - restsSince < REST_MS) {
    await sleep(LOOK_MS);
    const now = await field.accounts.spentBy(key);
    if (now !== last) restsSince = performance.now();
    last = now;
    if (performance.now() > until + MOST_MS) break;
  }
  return last;
}

/** What the vendor bills for calls, in US dollars. */
export function billedFor({ vendor }: Field, outcomes: readonly Outcome[]): number {
  const records = outcomes.flatMap(({ id }) => vendor.records.get(id) ?? []);
  return records.reduce((sum, record) => sum + costOf(billedTokens(record), PRICES), 0);
}

const LOOK_MS = 200;
const REST_MS = 1_000;
const MOST_MS = 30_000;
/** Half of the price of one input token: sums of decimal fractions in other gateways are rounded. */
const ROUNDING = PRICES.input / 1e6 / 2;

/** Whether two amounts of US dollars for a number of calls are the same, but for rounding. */
export function isSameMoney(one: number, other: number): boolean {
  return Math.abs(one - other) <= ROUNDING;
}
