import { isArray, isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { SseDecoder } from "#lib/sse.ts";
import { textOf } from "#lib/values.ts";
import type { Prompt } from "./command.ts";

/** Access to the management API, over HTTP or in this process. */
export interface ApiClient extends AsyncDisposable {
  /** A name of the gateway for messages. */
  readonly place: string;
  /** Adds the authentication to the request. */
  send(path: string, init: Init): Promise<Response>;
  /** Ledger inconsistencies as sentences; absent while a gateway writes the ledger. */
  verifyLedger?(): Promise<readonly string[]>;
}

interface Init {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** The gateway refused the request; the message is the gateway's. */
export class Refused extends Error {
  override readonly name = "Refused";
}

const YAML = "application/yaml";
/** Types of answers that are printed as they are. */
const DOCUMENTS = [YAML, "text/csv", "text/html"];
const TIMEOUT_MS = 60_000;
const LIVE_MS = 2_000;
const MAX_EVENT_BYTES = 1024 * 1024;

export async function ask(question: Prompt, reach: ApiClient): Promise<JsonObject> {
  const { method, path, body, document, timeoutMs = TIMEOUT_MS } = question;
  const response = await reach.send(path, {
    method,
    headers: { "content-type": document === undefined ? "application/json" : YAML },
    signal: AbortSignal.timeout(timeoutMs),
    ...(document === undefined ? {} : { body: document }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const type = response.headers.get("content-type") ?? "";
  if (DOCUMENTS.some((each) => type.startsWith(each))) return { document: await response.text() };
  const answer = parseJson(await response.text());
  if (!isObject(answer) || typeof answer["message"] !== "string") {
    throw new Refused(
      `${reach.place} returned status ${response.status} in an unexpected format: it may not be a Sluice gateway.`,
    );
  }
  if (answer["success"] !== true) throw new Refused(answer["message"]);
  const { data, message } = answer;
  if (isArray(data)) return { items: data };
  return isObject(data) ? data : { message };
}

/** The data of each event of a stream, as it arrives; throws `Refused` when the stream ends. */
export async function* follow({ path }: Prompt, reach: ApiClient): AsyncGenerator<SeenEvent> {
  if (reach.verifyLedger !== undefined) {
    throw new Refused("No gateway runs here: --follow needs a running one.");
  }
  const { signal } = new AbortController();
  const response = await reach.send(path, { method: "GET", headers: {}, signal });
  if (!response.ok || response.body === null) {
    const answer = parseJson(await response.text());
    const said = isObject(answer) ? textOf(answer["message"]) : undefined;
    throw new Refused(said ?? `${reach.place} returned status ${response.status}.`);
  }
  const decoder = new SseDecoder(MAX_EVENT_BYTES);
  for await (const chunk of response.body) {
    for (const { event, data } of decoder.push(chunk)) {
      const seen = parseJson(data);
      if (!isObject(seen)) continue;
      if (event === "end") throw new Refused(`The stream has ended: ${textOf(seen["reason"])}`);
      yield { event, data: seen };
    }
  }
  throw new Refused(`The connection to ${reach.place} was closed.`);
}

interface SeenEvent {
  readonly event: string | undefined;
  readonly data: JsonObject;
}

/** A running gateway; undefined if none listens at the URL. */
export async function connectToServer(
  url: string,
  token: string | undefined,
): Promise<ApiClient | undefined> {
  if (!(await isAlive(url))) return undefined;
  if (token === undefined) {
    throw new Refused(
      `A gateway listens at ${url}: set SLUICE_TOKEN to your access token. ` +
        "A logged-in user gets one with POST /api/user/self/access-token.",
    );
  }
  return {
    place: url,
    send: (path, init) =>
      fetch(new URL(path, url), {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${token}` },
      }),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Needs no token. */
export async function askReadiness(url: string, signal: AbortSignal): Promise<Response> {
  return await fetch(new URL("/readyz", url), { signal });
}

async function isAlive(url: string): Promise<boolean> {
  try {
    const { ok } = await fetch(new URL("/livez", url), { signal: AbortSignal.timeout(LIVE_MS) });
    return ok;
  } catch {
    return false;
  }
}
