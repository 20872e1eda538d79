/** Requests with an idempotency key, and their responses. */
export interface KeptAnswersTable {
  id: string;
  user_id: number;
  question: string;
  call_id: string;
  instance: string;
  state: "running" | "done";
  /** Unix ms; the maximum end of its call. */
  ends_by: number;
  /** Unix ms after which the record may be deleted. */
  expires_at: number;
  status: number | null;
  /** JSON. */
  headers: string | null;
  /** Compressed. */
  body: Uint8Array | null;
  /** Size of the stored body; 0 without a body. */
  size_bytes: number;
}
