interface PaceLimits {
  readonly msPerRequest: number;
  readonly msPerToken: number;
  readonly burstMs: number;
  /** Calls at once. */
  readonly running: number;
}

/** A pace of requests and of tokens: each limit is one number, the time when its burst is used up. */
export class Pace {
  #requestsAt = 0;
  #tokensAt = 0;
  #running = 0;

  readonly #most: PaceLimits;

  constructor(most: PaceLimits) {
    this.#most = most;
  }

  /** False if a limit is reached; nothing is counted then. */
  take(now: number, tokens: number): boolean {
    const { msPerRequest, msPerToken, burstMs, running } = this.#most;
    const requestsAt = Math.max(this.#requestsAt, now);
    const tokensAt = Math.max(this.#tokensAt, now);
    if (this.#running >= running) return false;
    if (requestsAt - now > burstMs || tokensAt - now > burstMs) return false;
    this.#requestsAt = requestsAt + msPerRequest;
    this.#tokensAt = tokensAt + tokens * msPerToken;
    this.#running++;
    return true;
  }

  release(unusedTokens: number): void {
    this.#tokensAt -= unusedTokens * this.#most.msPerToken;
    this.#running--;
  }
}

/** Money in whole nano-dollars. */
export class Quota {
  #settled = 0;
  #held = 0;

  readonly #granted: number;

  constructor(granted: number) {
    this.#granted = granted;
  }

  hold(amount: number): boolean {
    if (this.#settled + this.#held + amount > this.#granted) return false;
    this.#held += amount;
    return true;
  }

  settle(held: number, cost: number): void {
    this.#held -= held;
    this.#settled += cost;
  }
}

/** Opens after failures in a row, for a time. */
export class Breaker {
  #failures = 0;
  #closedAt = 0;
  inFlight = 0;

  mayTry(now: number): boolean {
    return now >= this.#closedAt;
  }

  succeeded(): void {
    this.#failures = 0;
    this.inFlight--;
  }

  failed(now: number): void {
    this.inFlight--;
    if (++this.#failures >= 5) this.#closedAt = now + 30_000;
  }
}
