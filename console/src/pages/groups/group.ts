import type { Schemas } from "../../api/client.ts";

export type Group = Schemas["Group"];
export type GroupPrice = Group["prices"][string];

export const LEVELS = ["off", "errors", "all"] as const;
export const LIMIT_NAMES = ["rpm", "tpm", "concurrency"] as const;
/** The rates that the form shows; others of a price stay. */
export const SHOWN_RATES = ["input", "output", "cached_input"] as const;
export type ShownRate = (typeof SHOWN_RATES)[number];

/** The fields that a form sends. Null removes a limit. */
export interface GroupFields {
  readonly name: string;
  readonly models: string[] | null;
  readonly channels: string[] | null;
  readonly price_factor: string;
  readonly prices: Readonly<Record<string, object>>;
  readonly content_log: (typeof LEVELS)[number] | null;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly concurrency: number | null;
  readonly shared_rpm: number | null;
  readonly shared_tpm: number | null;
  readonly shared_concurrency: number | null;
}
