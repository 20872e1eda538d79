/** Answers of the responses style; `input` and `response` are JSON. */
export interface ResponsesTable {
  id: string;
  user_id: number;
  previous_id: string | null;
  created_at: number;
  input: string;
  response: string;
}

/** Which response an output item stands in. */
export interface ResponseItemsTable {
  id: string;
  response_id: string;
}
