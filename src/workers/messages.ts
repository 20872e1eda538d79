/** From a worker to its supervisor. */
export type WorkerMessage =
  /** Its port is open. */
  | { readonly type: "ready"; readonly url: string; readonly greeting: string }
  /** Its metrics, as an answer or, with id 0, at its end. */
  | { readonly type: "metrics"; readonly id: number; readonly text: string }
  /** A client asks it for the metrics of all workers. */
  | { readonly type: "sum"; readonly id: number; readonly text: string };

export type SupervisorMessage =
  | { readonly type: "report"; readonly id: number }
  | { readonly type: "sum"; readonly id: number; readonly text: string }
  /** Another worker has taken its place: it ends without a delay. */
  | { readonly type: "retire" };
