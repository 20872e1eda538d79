import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import type { Question } from "./command.ts";

/** The management API, wherever it is. */
export interface Reach extends AsyncDisposable {
  /** Where the answers come from, for people. */
  readonly place: string;
  /** Shows who asks, besides. */
  send(path: string, init: Init): Promise<Response>;
  /** What does not hold of the books, in sentences; absent where a gateway is writing them. */
  verifyLedger?(): Promise<readonly string[]>;
}

interface Init {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** The gateway said no, in its own words. */
export class Refused extends Error {
  override readonly name = "Refused";
}

const YAML = "application/yaml";
const TIMEOUT_MS = 60_000;
const LIVE_MS = 2_000;

export async function ask(question: Question, reach: Reach): Promise<JsonObject> {
  const { method, path, body, document } = question;
  const response = await reach.send(path, {
    method,
    headers: { "content-type": document === undefined ? "application/json" : YAML },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(document === undefined ? {} : { body: document }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const isDocument = response.headers.get("content-type")?.startsWith(YAML) === true;
  if (isDocument) return { document: await response.text() };
  const answer = parseJson(await response.text());
  if (!isObject(answer) || typeof answer["message"] !== "string") {
    throw new Refused(
      `${reach.place} answered with status ${response.status}, and not as Sluice does.`,
    );
  }
  if (answer["success"] !== true) throw new Refused(answer["message"]);
  const { data, message } = answer;
  return isObject(data) ? data : { message };
}

/** A gateway that listens; undefined where none does. */
export async function reachServer(
  url: string,
  token: string | undefined,
): Promise<Reach | undefined> {
  if (!(await isAlive(url))) return undefined;
  if (token === undefined) {
    throw new Refused(
      `A gateway listens at ${url}: set SLUICE_TOKEN to an access token of yours, ` +
        "which POST /api/user/token gives whoever is logged in.",
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

async function isAlive(url: string): Promise<boolean> {
  try {
    const { ok } = await fetch(new URL("/livez", url), { signal: AbortSignal.timeout(LIVE_MS) });
    return ok;
  } catch {
    return false;
  }
}
