import type { AccessToken } from "#core/access-token.ts";
import type { AuthMethod } from "#core/audit.ts";
import type { CallRecord } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import type { Family } from "#core/family.ts";
import type { ApiKey } from "#core/key.ts";
import type { RequestBody } from "#core/style.ts";
import type { User } from "#core/user.ts";
import type { Form } from "#lib/form.ts";
import { outlineJson, setMembers, type JsonObject } from "#lib/json.ts";
import type { Deadlines, Watched } from "#lib/deadlines.ts";
import { Semaphore } from "#lib/semaphore.ts";
import { LARGE_BYTES } from "#lib/yield-to-event-loop.ts";
import { answerHeaders, chargeComments, type AnswerHeader } from "./answer-headers.ts";
import type { Caller } from "./authenticate.ts";
import {
  isCompressed,
  openAtMost,
  openContent,
  readBytes,
  readContent,
  readFormBody,
  readJsonBody,
  readPlacedBody,
  readShortJson,
  readYamlBody,
  type Incoming,
  type PlacedBody,
} from "./body.ts";
import type { Client } from "./client.ts";
import type { Exchange } from "./routes.ts";
import type { SocketProtocol } from "./socket.ts";

/** Shared by all exchanges of a server. */
export interface Surroundings extends BodySlots {
  readonly jsonDepth: number;
  readonly deadlines: Deadlines;
  /** Facts that complete answers name in headers. */
  readonly answerHeaders: readonly AnswerHeader[];
  clientOf(request: Request): Client;
  /** Closes the connection after this many idle seconds; 0 means never. */
  setIdleSeconds(request: Request, seconds: number): void;
  /** Undefined without a connection. False if the request is not a valid WebSocket upgrade. */
  upgrade?(
    request: Request,
    protocol: SocketProtocol,
    headers: Readonly<Record<string, string>>,
  ): boolean;
}

/** Semaphores for large bodies. */
interface BodySlots {
  /** Arriving, or waiting to be parsed. */
  readonly bigArrivals: Semaphore;
  /** Being parsed. */
  readonly bigBodies: Semaphore;
}

const MAX_WAITING = 64;

export function bodySlotsFor(bigBodies: number): BodySlots {
  return {
    bigArrivals: new Semaphore(bigBodies + MAX_WAITING, 0),
    bigBodies: new Semaphore(bigBodies, MAX_WAITING),
  };
}

/** Who calls, and how they showed it. */
interface Actor {
  readonly user: User | undefined;
  readonly proof: AuthMethod;
}

const EMPTY_OBJECT: JsonObject = {};
const BIG_BODY_BYTES = 1024 * 1024;
/** Idle timeout: for slow heads, slow bodies and kept-alive connections. */
export const IDLE_SECONDS = 30;
const PATIENCE_MS = (IDLE_SECONDS / 2) * 1_000;

export class HttpExchange implements Exchange {
  readonly request: Request;
  readonly id: string;
  readonly key: ApiKey | undefined;
  readonly user: User | undefined;
  readonly accessToken: AccessToken | undefined;
  readonly family: Family | undefined;
  readonly #params: (name: string) => string | undefined;
  readonly #around: Surroundings;
  readonly #proof: AuthMethod | undefined;
  readonly #model: string | undefined;
  #actor: Actor | undefined;
  #query: URLSearchParams | undefined;
  #noted: JsonObject = EMPTY_OBJECT;
  #readAhead: Promise<RequestBody> | undefined;
  #announced: Readonly<Record<string, string>> | undefined;
  #failureListener: ((answer: string) => void) | undefined;
  /** Idle timeout while no response is pending. */
  idleSeconds = IDLE_SECONDS;

  constructor(
    request: Request,
    id: string,
    caller: Caller,
    params: (name: string) => string | undefined,
    around: Surroundings,
    /** From the path; replaces the body's. */
    model?: string,
    family?: Family,
  ) {
    this.request = request;
    this.family = family;
    this.#model = model;
    this.id = id;
    this.key = caller.key;
    this.user = caller.user;
    this.accessToken = caller.token;
    this.#proof = caller.proof;
    this.#params = params;
    this.#around = around;
  }

  get signal(): AbortSignal {
    return this.request.signal;
  }

  get client(): Client {
    return this.#around.clientOf(this.request);
  }

  get actor(): Actor {
    this.#actor ??= { user: this.user, proof: this.#proof ?? "none" };
    return this.#actor;
  }

  identify(user: User, proof: AuthMethod): void {
    this.#actor = { user, proof };
  }

  get noted(): JsonObject {
    return this.#noted;
  }

  note(details: JsonObject): void {
    this.#noted = details;
  }

  param(name: string): string {
    return this.#params(name) ?? "";
  }

  get query(): URLSearchParams {
    this.#query ??= new URL(this.request.url).searchParams;
    return this.#query;
  }

  readJson(maxBytes: number): Promise<RequestBody> {
    return this.#readAhead ?? this.#read(maxBytes);
  }

  async readPlacedJson(maxBytes: number): Promise<PlacedBody> {
    const read = (body: Incoming): Promise<PlacedBody> =>
      readPlacedBody(body, this.#around.jsonDepth);
    const body = await this.#amongBigBodies(maxBytes, read);
    if (this.#model === undefined) return body;
    return { ...body, json: { ...body.json, model: this.#model } };
  }

  async readForm(maxBytes: number): Promise<Form | undefined> {
    const form = await this.#amongBigBodies(maxBytes, readFormBody);
    return this.#model === undefined ? form : form?.with({ model: this.#model });
  }

  readBytes(maxBytes: number): Promise<Uint8Array> {
    return readContent(this.request, maxBytes);
  }

  readYaml(maxBytes: number): Promise<Uint8Array> {
    return readYamlBody(this.#incoming(maxBytes));
  }

  /** Reads the body ahead of its handler, which then gets the same body or the same error. */
  readAhead(maxBytes: number): Promise<RequestBody> {
    this.#readAhead = this.#read(maxBytes);
    return this.#readAhead;
  }

  #read(maxBytes: number): Promise<RequestBody> {
    const { jsonDepth } = this.#around;
    const model = this.#model;
    if (model === undefined && isShort(this.request.headers, maxBytes)) {
      return readShortJson(this.request, jsonDepth);
    }
    const read = (body: Incoming): Promise<RequestBody> => readJsonBody(body, jsonDepth);
    if (model === undefined) return this.#amongBigBodies(maxBytes, read);
    return this.#amongBigBodies(maxBytes, async (body) => withModel(await read(body), model));
  }

  /**
   * Limits how many large bodies are parsed at once, because parsing holds several copies. Others
   * arrive meanwhile, and a slow sender does not block the parsing of others.
   */
  async #amongBigBodies<T>(maxBytes: number, read: (body: Incoming) => Promise<T>): Promise<T> {
    const { headers } = this.request;
    const announced = Number(headers.get("content-length") ?? Number.NaN);
    const isSmall = announced < BIG_BODY_BYTES;
    const staysSmall = maxBytes <= BIG_BODY_BYTES || !isCompressed(headers);
    if (isSmall && staysSmall) return await read(this.#incoming(maxBytes));
    using places = new DisposableStack();
    const receive = (): Promise<Uint8Array> => this.#receiveBig(maxBytes, isSmall, places);
    return await read({ headers, receive });
  }

  /** Acquires slots, which the reader must release. */
  async #receiveBig(
    maxBytes: number,
    isSmall: boolean,
    places: DisposableStack,
  ): Promise<Uint8Array> {
    const { bigArrivals, bigBodies } = this.#around;
    if (!isSmall) places.use(slotOf(await bigArrivals.enter()));
    const bytes = await readBytes(this.request, maxBytes);
    const opened = isSmall ? await openAtMost(this.request, bytes, BIG_BODY_BYTES) : undefined;
    if (opened !== undefined) return opened;
    places.use(slotOf(await bigBodies.enter()));
    return await openContent(this.request, bytes, maxBytes);
  }

  #incoming(maxBytes: number): Incoming {
    return { headers: this.request.headers, receive: () => this.readBytes(maxBytes) };
  }

  suspendIdleTimeout(): Disposable {
    return new IdleTimeoutPause(this, this.#around);
  }

  announce(headers: Readonly<Record<string, string>>): void {
    const earlier = this.#announced;
    this.#announced = earlier === undefined ? headers : { ...earlier, ...headers };
  }

  takeAnnounced(): Readonly<Record<string, string>> | undefined {
    const announced = this.#announced;
    this.#announced = undefined;
    return announced;
  }

  onFailure(listener: (answer: string) => void): void {
    this.#failureListener = listener;
  }

  /** The request failed with this answer. */
  fail(answer: JsonObject): void {
    this.#failureListener?.(JSON.stringify(answer));
  }

  announceCharge(record: CallRecord): string | undefined {
    const shown = this.#around.answerHeaders;
    if (shown.length === 0) return undefined;
    if (record.isStream) return chargeComments(record, shown);
    this.announce(answerHeaders(record, shown));
    return undefined;
  }

  get chosenFacts(): () => readonly AnswerHeader[] {
    const around = this.#around;
    return () => around.answerHeaders;
  }

  /** Adds the announced headers. */
  complete(response: Response): Response {
    if (this.#announced === undefined) return response;
    for (const [name, value] of Object.entries(this.#announced)) response.headers.set(name, value);
    return response;
  }

  upgrade(protocol: SocketProtocol, headers: Readonly<Record<string, string>>): Response {
    if (this.#around.upgrade?.(this.request, protocol, headers) !== true) {
      throw new GatewayError(
        "upgrade_refused",
        "This connection cannot be upgraded to a WebSocket.",
      );
    }
    return new Response(null, { status: 101 });
  }

  setStall(ms: number): void {
    this.idleSeconds = Math.ceil(ms / 1_000);
    this.#around.setIdleSeconds(this.request, this.idleSeconds);
  }
}

/** Read in one step, without a limit on how many are read at once. */
function isShort(headers: Headers, maxBytes: number): boolean {
  const announced = Number(headers.get("content-length") ?? Number.NaN);
  return announced < LARGE_BYTES && announced <= maxBytes && !isCompressed(headers);
}

function withModel(body: RequestBody, model: string): RequestBody {
  if (body.json["model"] === model) return body;
  const text = setMembers(body.text, body.outline, { model });
  return { text, outline: outlineJson(text, Infinity), json: { ...body.json, model } };
}

function slotOf(place: Disposable | undefined): Disposable {
  if (place !== undefined) return place;
  throw new GatewayError("overloaded", "Too many large request bodies at once. Retry later.", {
    retryAfterMs: 1_000,
  });
}

class IdleTimeoutPause implements Watched, Disposable {
  readonly #exchange: HttpExchange;
  readonly #around: Surroundings;
  dueAt: number;
  slot: number | undefined;

  constructor(exchange: HttpExchange, around: Surroundings) {
    this.#exchange = exchange;
    this.#around = around;
    this.dueAt = around.deadlines.now() + PATIENCE_MS;
    around.deadlines.watch(this);
  }

  onDue(): void {
    this.dueAt = Infinity;
    this.#around.setIdleSeconds(this.#exchange.request, 0);
  }

  /** An idle timeout applies to the connection, so it is reset after the request. */
  [Symbol.dispose](): void {
    this.#around.deadlines.release(this);
    if (this.dueAt !== Infinity) return;
    const { request, idleSeconds } = this.#exchange;
    this.#around.setIdleSeconds(request, idleSeconds);
  }
}
