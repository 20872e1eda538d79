/** Settings changed at run time, in the notation of the file. */
export interface SettingsTable {
  name: string;
  value: string;
  updated_at: number;
}
