/** Settings that were changed while the gateway ran, in the words of the file. */
export interface SettingsTable {
  name: string;
  value: string;
  updated_at: number;
}
