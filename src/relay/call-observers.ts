import type { CallRecord } from "#core/call.ts";

/** Sees each call once, at its end. It neither waits nor changes the record. */
export interface CallObserver {
  observe(record: CallRecord): void;
}

/** All observers of finished calls. The failure of one ends neither the call nor the others. */
export class CallObservers implements CallObserver {
  readonly #observers: CallObserver[] = [];
  readonly #onError: (cause: unknown) => void;

  constructor(onError: (cause: unknown) => void) {
    this.#onError = onError;
  }

  add(observer: CallObserver): void {
    this.#observers.push(observer);
  }

  observe(record: CallRecord): void {
    for (const observer of this.#observers) {
      try {
        observer.observe(record);
      } catch (cause) {
        this.#onError(cause);
      }
    }
  }
}
