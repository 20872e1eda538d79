import type { NanoUsd } from "./money.ts";

export const REGISTRATION_MODES = ["off", "mail", "open"] as const;

/** The settings of self-registration. */
export interface RegistrationRules {
  /** `mail`: the address is confirmed by a link. `open`: without an address. */
  readonly mode: (typeof REGISTRATION_MODES)[number];
  /** Domains of addresses that may register; any if empty. */
  readonly domains: readonly string[];
  /** Name of the group of new users. */
  readonly group?: string;
  readonly quota?: NanoUsd;
  readonly dayBudget?: NanoUsd;
  readonly monthBudget?: NanoUsd;
}
