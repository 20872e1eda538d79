import type { Json } from "#lib/json.ts";
import type { GroupStore } from "./group.ts";
import type { SettingStore } from "./setting.ts";
import type { ChannelStore, ModelStore } from "./stored-routing.ts";
import type { TeamStore } from "./team.ts";

/** Where all that stands which people describe, and a gateway does not write itself. */
export interface DescribedStores {
  readonly settings: SettingStore;
  readonly channels: ChannelStore;
  readonly models: ModelStore;
  readonly groups: GroupStore;
  readonly teams: TeamStore;
}

/** Runs changes in one transaction, during which nobody else changes any of it. */
export type Atomically = <T>(run: (stores: DescribedStores) => Promise<T>) => Promise<T>;

/** What a document would make of one object. */
export interface PlannedChange {
  readonly section: string;
  readonly name: string;
  readonly action: "create" | "change" | "delete" | "nothing";
  readonly fields: readonly FieldChange[];
}

/** In the words of the document; `null` where nothing is said, `***` and more for secrets. */
export interface FieldChange {
  readonly field: string;
  readonly before: Json;
  readonly after: Json;
}

export interface ConfigurationPlan {
  /** Of what is stored and what is wanted: another one where either is. */
  readonly digest: string;
  /** In the order in which they are made. */
  readonly changes: readonly PlannedChange[];
}

/** All of it as one document, in the words of `sluice.yaml`. Documents are YAML in UTF-8. */
export interface Configuration {
  /** The same bytes for the same state. Credentials are not in it. */
  export(): Promise<string>;
  /**
   * Sections that the document leaves out stay; what a section that it has does
   * not name is deleted. Throws `invalid_request` with every mistake.
   */
  plan(document: Uint8Array): Promise<ConfigurationPlan>;
  /**
   * Does what was planned, or nothing at all. Throws `plan_outdated` where the
   * digest is not that of the plan as it would be made now. `actor`: for the ledger.
   */
  apply(document: Uint8Array, digest: string, actor: string): Promise<ConfigurationPlan>;
}
