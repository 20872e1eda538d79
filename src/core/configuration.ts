import type { Json } from "#lib/json.ts";
import type { AlertDestinationStore, AlertRuleStore } from "./alert.ts";
import type { GroupStore } from "./group.ts";
import type { GatewayBudgetStore } from "./quota.ts";
import type { SettingStore } from "./setting.ts";
import type { ChannelStore, ModelStore } from "./stored-routing.ts";
import type { TeamStore } from "./team.ts";

/**
 * The stores of all configuration that people write, as opposed to data that
 * the gateway writes.
 */
export interface DescribedStores {
  readonly settings: SettingStore;
  readonly channels: ChannelStore;
  readonly models: ModelStore;
  readonly groups: GroupStore;
  readonly teams: TeamStore;
  readonly gatewayBudgets: GatewayBudgetStore;
  readonly alertDestinations: AlertDestinationStore;
  readonly alertRules: AlertRuleStore;
}

/** Runs changes in one transaction that excludes all other configuration changes. */
export type Atomically = <T>(run: (stores: DescribedStores) => Promise<T>) => Promise<T>;

/** The change that a document would make to one object. */
export interface PlannedChange {
  readonly section: string;
  readonly name: string;
  readonly action: "create" | "change" | "delete" | "nothing";
  readonly fields: readonly FieldChange[];
}

/** In the notation of the document; `null` if absent, `***` for secrets. */
export interface FieldChange {
  readonly field: string;
  readonly before: Json;
  readonly after: Json;
}

export interface ConfigurationPlan {
  /** Digest of the stored and the requested state; it changes if either changes. */
  readonly digest: string;
  /** In the order of their execution. */
  readonly changes: readonly PlannedChange[];
}

/**
 * The whole configuration as one document in the notation of `sluice.yaml`.
 * Documents are YAML in UTF-8.
 */
export interface Configuration {
  /** Deterministic: the same state gives the same bytes. Credentials are omitted. */
  export(): Promise<string>;
  /**
   * Sections that the document omits stay unchanged; objects missing in a
   * present section are deleted. Throws `invalid_request` with all errors.
   */
  plan(document: Uint8Array): Promise<ConfigurationPlan>;
  /**
   * Applies the whole plan or nothing. Throws `plan_outdated` if the digest
   * differs from the digest of a new plan. `actor`: for the ledger.
   */
  apply(document: Uint8Array, digest: string, actor: string): Promise<ConfigurationPlan>;
}
