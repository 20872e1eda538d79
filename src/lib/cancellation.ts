/** The part of an `AbortSignal` that its listeners need. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: EventListenerObject, options?: { once: boolean }): void;
  removeEventListener(type: "abort", listener: EventListenerObject): void;
}

/**
 * Cancels work, as an `AbortController` does, without the runtime's objects for events: every call
 * has one, and nearly none is cancelled. Each listener hears it once.
 */
export class Cancellation implements CancelSignal {
  aborted = false;
  reason: unknown;
  #listener: EventListenerObject | undefined;
  /** All but the first. */
  #more: Set<EventListenerObject> | undefined;
  #controller: AbortController | undefined;

  /** For code that needs the runtime's own signal. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.aborted) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  cancel(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#controller?.abort(reason);
    this.reason = this.#controller?.signal.reason ?? reason;
    const listeners = this.#more === undefined ? [] : [...this.#more];
    if (this.#listener !== undefined) listeners.unshift(this.#listener);
    this.#listener = undefined;
    this.#more = undefined;
    const event = new Event("abort");
    for (const each of listeners) each.handleEvent(event);
  }

  addEventListener(_type: "abort", listener: EventListenerObject): void {
    if (this.#listener === undefined || this.#listener === listener) this.#listener = listener;
    else (this.#more ??= new Set()).add(listener);
  }

  removeEventListener(_type: "abort", listener: EventListenerObject): void {
    if (this.#listener === listener) this.#listener = undefined;
    else this.#more?.delete(listener);
  }
}
