/** Responses of the responses style; `input` and `response` are JSON. */
export interface ResponsesTable {
  id: string;
  user_id: number;
  previous_id: string | null;
  created_at: number;
  input: string;
  response: string;
}

/** The response that contains an output item. */
export interface ResponseItemsTable {
  id: string;
  response_id: string;
}
