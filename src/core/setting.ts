/** When a change takes effect: for the next call, or at the next start. */
export type EffectTime = "at once" | "restart";

/** A setting for display. Values are in the notation of the file, secrets are `***`. */
export interface ShownSetting {
  /** Its path in the file, or its environment variable if the file cannot contain it. */
  readonly name: string;
  readonly variable: string;
  /** The effective value in this process; undefined if it is not set and has no default. */
  readonly value: string | undefined;
  readonly source: "environment" | "file" | "stored" | "default";
  /** The environment variable, or the position in the file. */
  readonly place: string | undefined;
  /** The value in the database, even if another source overrides it. */
  readonly stored: string | undefined;
  readonly default: string | undefined;
  readonly doc: string;
  /** The format of valid values. */
  readonly takes: string;
  /** Undefined if the setting cannot be changed at run time. */
  readonly onset: EffectTime | undefined;
}

/** Lists all settings and changes those that can change at run time. */
export interface ChangeableSettings {
  /** In the order of the manual. */
  list(): readonly ShownSetting[];
  /** Throws `not_found` for an unknown name, `invalid_request` for an invalid value. */
  set(name: string, text: string): Promise<ShownSetting>;
  /** Removes the stored value. Throws `not_found` if none was stored. */
  reset(name: string): Promise<ShownSetting>;
}

/** The store of settings changed at run time: values in the notation of the file, by name. */
export interface SettingStore {
  list(): Promise<ReadonlyMap<string, string>>;
  put(name: string, text: string): Promise<void>;
  /** False if no value was stored. */
  delete(name: string): Promise<boolean>;
}
