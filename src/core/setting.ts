/** When a change of a setting holds: for the next call, or from the next start. */
export type Onset = "at once" | "restart";

/** A setting as people are shown it. Texts are in the words of the file, secrets are `***`. */
export interface ShownSetting {
  /** Its path in the file, or its variable where the file cannot say it. */
  readonly name: string;
  readonly variable: string;
  /** What it is in this process; undefined where nothing is said and nothing assumed. */
  readonly value: string | undefined;
  readonly source: "environment" | "file" | "stored" | "default";
  /** The variable, or the spot in the file. */
  readonly place: string | undefined;
  /** What the database has, whether or not it holds here. */
  readonly stored: string | undefined;
  readonly default: string | undefined;
  readonly doc: string;
  /** What it has to be. */
  readonly takes: string;
  /** Undefined for what cannot be changed while the gateway runs. */
  readonly onset: Onset | undefined;
}

/** All settings, and the change of those that may change. */
export interface ChangeableSettings {
  /** In the order of the manual. */
  list(): readonly ShownSetting[];
  /** Throws `not_found` for a name that is none, `invalid_request` for what cannot be. */
  set(name: string, text: string): Promise<ShownSetting>;
  /** Takes back what was stored. Throws `not_found` where nothing was. */
  reset(name: string): Promise<ShownSetting>;
}

/** What was changed while running: texts in the words of the file, by name. */
export interface SettingStore {
  list(): Promise<ReadonlyMap<string, string>>;
  put(name: string, text: string): Promise<void>;
  /** False where nothing was stored. */
  delete(name: string): Promise<boolean>;
}
