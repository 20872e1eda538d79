import type { Proof } from "#core/audit.ts";
import { GatewayError } from "#core/error.ts";
import type { ApiKey } from "#core/key.ts";
import type { RequestBody } from "#core/style.ts";
import type { User } from "#core/user.ts";
import type { Form } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import type { Deadlines, Watched } from "#lib/deadlines.ts";
import type { Semaphore } from "#lib/semaphore.ts";
import type { Caller } from "./authenticate.ts";
import {
  readContent,
  readFormBody,
  readJsonBody,
  readPlacedBody,
  readYamlBody,
  type BodyLimits,
  type PlacedBody,
} from "./body.ts";
import type { Client } from "./client.ts";
import type { Exchange } from "./routes.ts";

/** What every exchange of a server shares. */
export interface Surroundings {
  readonly jsonDepth: number;
  readonly bigBodies: Semaphore;
  readonly deadlines: Deadlines;
  clientOf(request: Request): Client;
  /** Closes a connection on which nothing moves for so many seconds; 0 never. */
  setIdleSeconds(request: Request, seconds: number): void;
}

/** Who calls, and how they showed it. */
export interface Actor {
  readonly user: User | undefined;
  readonly proof: Proof;
}

const BIG_BODY_BYTES = 1024 * 1024;
/** Half of the time after which an idle connection is closed. */
const PATIENCE_MS = 15_000;

export class HttpExchange implements Exchange {
  readonly request: Request;
  readonly id: string;
  readonly key: ApiKey | undefined;
  readonly user: User | undefined;
  readonly #params: (name: string) => string | undefined;
  readonly #around: Surroundings;
  #actor: Actor;
  #noted: JsonObject = {};
  #readAhead: Promise<RequestBody> | undefined;
  #announced: Readonly<Record<string, string>> | undefined;

  constructor(
    request: Request,
    id: string,
    caller: Caller,
    params: (name: string) => string | undefined,
    around: Surroundings,
  ) {
    this.request = request;
    this.id = id;
    this.key = caller.key;
    this.user = caller.user;
    this.#actor = { user: caller.user, proof: caller.proof ?? "none" };
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
    return this.#actor;
  }

  identify(user: User, proof: Proof): void {
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

  readJson(maxBytes: number): Promise<RequestBody> {
    return this.#readAhead ?? this.#read(maxBytes);
  }

  readPlacedJson(maxBytes: number): Promise<PlacedBody> {
    return this.#amongBigBodies(() => readPlacedBody(this.request, this.#limits(maxBytes)));
  }

  readForm(maxBytes: number): Promise<Form | undefined> {
    return this.#amongBigBodies(() => readFormBody(this.request, maxBytes));
  }

  readBytes(maxBytes: number): Promise<Uint8Array> {
    return readContent(this.request, maxBytes);
  }

  readYaml(maxBytes: number): Promise<Uint8Array> {
    return readYamlBody(this.request, maxBytes);
  }

  /** Reads the body before its handler does, who then gets the same one, or the same failure. */
  readAhead(maxBytes: number): Promise<RequestBody> {
    this.#readAhead = this.#read(maxBytes);
    return this.#readAhead;
  }

  #read(maxBytes: number): Promise<RequestBody> {
    return this.#amongBigBodies(() => readJsonBody(this.request, this.#limits(maxBytes)));
  }

  #limits(maxBytes: number): BodyLimits {
    return { maxBytes, maxDepth: this.#around.jsonDepth };
  }

  /** Few large bodies are read at a time: each is held several times over while it is. */
  async #amongBigBodies<T>(read: () => Promise<T>): Promise<T> {
    const announced = Number(this.request.headers.get("content-length") ?? BIG_BODY_BYTES);
    if (announced < BIG_BODY_BYTES) return await read();

    using place = await this.#around.bigBodies.enter();
    if (place === undefined) {
      throw new GatewayError("overloaded", "Too many large bodies at once.", {
        retryAfterMs: 1_000,
      });
    }
    return await read();
  }

  waitLong(): Disposable {
    return new Patience(this.request, this.#around);
  }

  announce(headers: Readonly<Record<string, string>>): void {
    this.#announced = { ...this.#announced, ...headers };
  }

  /** Adds what was announced. */
  complete(response: Response): Response {
    if (this.#announced === undefined) return response;
    for (const [name, value] of Object.entries(this.#announced)) response.headers.set(name, value);
    return response;
  }

  setStall(ms: number): void {
    this.#around.setIdleSeconds(this.request, Math.ceil(ms / 1_000));
  }
}

class Patience implements Watched, Disposable {
  readonly #request: Request;
  readonly #around: Surroundings;
  dueAt: number;

  constructor(request: Request, around: Surroundings) {
    this.#request = request;
    this.#around = around;
    this.dueAt = around.deadlines.now() + PATIENCE_MS;
    around.deadlines.watch(this);
  }

  onDue(): void {
    this.dueAt = Infinity;
    this.#around.setIdleSeconds(this.#request, 0);
  }

  [Symbol.dispose](): void {
    this.#around.deadlines.release(this);
  }
}
