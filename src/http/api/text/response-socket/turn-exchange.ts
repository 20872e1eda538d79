import type { CallRecord } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import type { ApiKey } from "#core/key.ts";
import type { RequestBody } from "#core/style.ts";
import { chargeEvent, type AnswerHeader } from "#http/answer-headers.ts";
import type { Client } from "#http/client.ts";
import type { Exchange } from "#http/routes.ts";

interface Turn {
  readonly id: string;
  readonly key: ApiKey;
  readonly body: RequestBody;
  readonly signal: AbortSignal;
  /** The facts about a charged call that the operator wants in answers. */
  readonly chosenFacts: () => readonly AnswerHeader[];
}

/** One message of a WebSocket, served as a separate request with the headers of the upgrade. */
export class TurnExchange implements Exchange {
  readonly request: Request;
  readonly id: string;
  readonly signal: AbortSignal;
  readonly key: ApiKey;
  readonly chosenFacts: Turn["chosenFacts"];
  readonly user = undefined;
  readonly accessToken = undefined;
  readonly family = "text";
  readonly client: Client;
  readonly query = new URLSearchParams();
  readonly #body: RequestBody;
  #failureListener: ((answer: string) => void) | undefined;

  constructor(request: Request, client: Client, { id, key, body, signal, chosenFacts }: Turn) {
    this.request = request;
    this.client = client;
    this.id = id;
    this.key = key;
    this.signal = signal;
    this.#body = body;
    this.chosenFacts = chosenFacts;
  }

  readonly param = (): string => "";

  async readJson(): Promise<RequestBody> {
    return this.#body;
  }

  readPlacedJson(): Promise<never> {
    return Promise.reject(noBody());
  }

  readForm(): Promise<never> {
    return Promise.reject(noBody());
  }

  readBytes(): Promise<never> {
    return Promise.reject(noBody());
  }

  readYaml(): Promise<never> {
    return Promise.reject(noBody());
  }

  upgrade(): never {
    throw noBody();
  }

  /** The connection's own timeouts apply. */
  suspendIdleTimeout(): Disposable {
    return NO_WAIT;
  }

  setStall(): void {}

  /** A WebSocket message has no head for headers. */
  announce(): void {}

  takeAnnounced(): undefined {}

  announceCharge(record: CallRecord): string | undefined {
    return chargeEvent(record, this.chosenFacts());
  }

  onFailure(listener: (answer: string) => void): void {
    this.#failureListener = listener;
  }

  /** The turn failed with this message. */
  fail(message: string): void {
    this.#failureListener?.(message);
  }

  identify(): void {}

  note(): void {}
}

const NO_WAIT: Disposable = { [Symbol.dispose]() {} };

function noBody(): GatewayError {
  return new GatewayError("internal", "A WebSocket message must be JSON.");
}
