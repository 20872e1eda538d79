/** Requests that were given a key, and what they were answered. */
export interface KeptAnswersTable {
  id: string;
  user_id: number;
  question: string;
  call_id: string;
  instance: string;
  state: "running" | "done";
  /** Until when its call may run. */
  ends_by: number;
  /** When it may be forgotten. */
  expires_at: number;
  status: number | null;
  /** JSON. */
  headers: string | null;
  /** Compressed. */
  body: Uint8Array | null;
  /** Of the body as it is here; 0 where there is none. */
  size_bytes: number;
}
