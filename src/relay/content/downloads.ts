import { GatewayError } from "#core/error.ts";

export interface DownloadLimits {
  /** Maximum number of concurrent downloads. */
  readonly downloads: number;
  /** Maximum per key. */
  readonly keyDownloads: number;
}

const RETRY_MS = 2_000;

/** Counts the files that are sent to clients. */
export class Downloads {
  readonly #limits: DownloadLimits;
  readonly #ofKey = new Map<number, number>();
  #all = 0;

  constructor(limits: DownloadLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#all;
  }

  /** Refuses a download above the limit; it does not queue. */
  enter(keyId: number): Disposable {
    const ofKey = this.#ofKey.get(keyId) ?? 0;
    if (ofKey >= this.#limits.keyDownloads) {
      throw new GatewayError(
        "rate_limited",
        "This API key downloads too many files at once. Retry later.",
        {
          retryAfterMs: RETRY_MS,
        },
      );
    }
    if (this.#all >= this.#limits.downloads) {
      throw new GatewayError("overloaded", "Too many concurrent file downloads. Retry later.", {
        retryAfterMs: RETRY_MS,
      });
    }
    this.#all++;
    this.#ofKey.set(keyId, ofKey + 1);
    let isIn = true;
    return {
      [Symbol.dispose]: () => {
        if (isIn) this.#leave(keyId);
        isIn = false;
      },
    };
  }

  #leave(keyId: number): void {
    this.#all--;
    const left = (this.#ofKey.get(keyId) ?? 1) - 1;
    if (left === 0) this.#ofKey.delete(keyId);
    else this.#ofKey.set(keyId, left);
  }
}
