import { GatewayError } from "#core/error.ts";
import { Semaphore } from "#lib/semaphore.ts";
import { digestOf } from "../secrets/secrets.ts";

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time with and without a stored hash. */
  verify(password: string, hash: string | null | undefined): Promise<boolean>;
}

export interface PasswordCost {
  readonly memoryKib: number;
  readonly passes: number;
}

/** OWASP's minimum for argon2id. About 25 ms of one core. */
const COST: PasswordCost = { memoryKib: 19_456, passes: 2 };
/** Each hash needs memory and a thread: more at once would only wait for each other. */
const AT_ONCE = 2;
const MAX_WAITING = 64;

/**
 * The slow hash is computed from a keyed digest, so that a copy of the database
 * alone does not allow guessing.
 */
export function openPasswords(pepper: Uint8Array, cost = COST): Passwords {
  const places = new Semaphore(AT_ONCE, MAX_WAITING);
  let nobodys: Promise<string> | undefined;

  return {
    hash: (password) => inTurn(() => slowHash(password)),
    verify: (password, hash) =>
      inTurn(async () => {
        nobodys ??= slowHash(crypto.randomUUID());
        const isSame = await Bun.password.verify(keyed(password), hash ?? (await nobodys));
        return isSame && typeof hash === "string";
      }),
  };

  function slowHash(password: string): Promise<string> {
    const { memoryKib: memoryCost, passes: timeCost } = cost;
    return Bun.password.hash(keyed(password), { algorithm: "argon2id", memoryCost, timeCost });
  }

  /** Keyboards may encode the same characters differently. */
  function keyed(password: string): string {
    return digestOf(`password:${password.normalize("NFKC")}`, pepper);
  }

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    using place = await places.enter();
    if (place === undefined) {
      throw new GatewayError("overloaded", "Too many logins at once.", { retryAfterMs: 2_000 });
    }
    return await work();
  }
}
