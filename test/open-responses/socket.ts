import { parseJson, isObject, type JsonObject } from "#lib/json.ts";
import { KEY } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

export interface Turn {
  readonly events: readonly JsonObject[];
  /** Of the event that ended it; undefined if that was an error. */
  readonly response: JsonObject | undefined;
  readonly error: JsonObject | undefined;
}

/** A client of the responses WebSocket. */
interface ResponseClient extends AsyncDisposable {
  readonly messages: readonly JsonObject[];
  readonly closed: { readonly code: number } | undefined;
  send(message: JsonObject | string): void;
  /** Sends a `response.create` and waits for the event that ends it, on its lane. */
  create(body: JsonObject): Promise<Turn>;
  /** The next message that fits. */
  next(fits: (message: JsonObject) => boolean): Promise<JsonObject>;
}

const ENDS: readonly unknown[] = [
  "response.completed",
  "response.incomplete",
  "response.failed",
  "error",
];

export async function openSocket(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ResponseClient> {
  const messages: JsonObject[] = [];
  let closed: { readonly code: number } | undefined;
  const Client = WebSocket as unknown as new (
    url: string,
    options: { headers: Readonly<Record<string, string>> },
  ) => WebSocket;
  const socket = new Client(`${url.replace("http", "ws")}/v1/responses`, {
    headers: { authorization: `Bearer ${KEY}`, ...headers },
  });
  socket.addEventListener("message", ({ data }) => {
    const json = parseJson(String(data));
    messages.push(isObject(json) ? json : { unreadable: String(data) });
  });
  socket.addEventListener("close", ({ code }) => (closed = { code }));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error("The WebSocket was refused.")));
  });
  const isEnd = ({ type }: JsonObject): boolean => ENDS.includes(type);
  let seen = 0;

  const next: ResponseClient["next"] = async (fits) => {
    const from = seen;
    let found = -1;
    await waitFor(() => (found = messages.findIndex((one, at) => at >= from && fits(one))) >= 0);
    seen = found + 1;
    return messages[found] ?? {};
  };
  return {
    messages,
    get closed() {
      return closed;
    },
    send: (message) => socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    next,
    async create(body) {
      const from = messages.length;
      socket.send(JSON.stringify({ type: "response.create", ...body }));
      const isOnLane = (one: JsonObject): boolean => one["stream_id"] === body["stream_id"];
      const end = await next((one) => isOnLane(one) && isEnd(one));
      const events = messages.slice(from, messages.indexOf(end) + 1).filter(isOnLane);
      const { response, error } = end;
      return {
        events,
        response: isObject(response) ? response : undefined,
        error: isObject(error) ? error : undefined,
      };
    },
    async [Symbol.asyncDispose]() {
      socket.close();
      await waitFor(() => closed !== undefined);
    },
  };
}

/** What the model said in a response. */
export function textOfResponse(response: JsonObject | undefined): string {
  return JSON.stringify(response?.["output"] ?? []);
}
