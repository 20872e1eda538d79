import { PERIODS, type AccountId } from "#core/key.ts";
import type { Account, RaisedAmount } from "#core/ledger.ts";
import { nanoUsd, type NanoUsd } from "#core/money.ts";

/** An account in memory, ahead of the database by the queued writes. */
export interface LiveAccount extends Account {
  granted: NanoUsd | null;
  spent: NanoUsd;
  held: NanoUsd;
  raises: readonly RaisedAmount[] | undefined;
  /** Queued writes of the account; if any, the database is behind. */
  queued: number;
}

export interface Accounts {
  find(id: AccountId): LiveAccount | undefined;
  open(id: AccountId): LiveAccount;
}

const MAX_LOOKED_AT = 16;
/** Accounts of one call: three totals, and four owners with an account for each period. */
const MAX_OF_A_CALL = 3 + 4 * PERIODS.length;

/**
 * The accounts of the one gateway that owns its database; the memory is
 * authoritative. They are loaded on first use. If there are too many, the
 * oldest idle ones are dropped.
 */
export function createAccounts(
  load: (id: AccountId) => Account | undefined,
  maxLoaded: number,
): Accounts {
  const loaded = new Map<AccountId, LiveAccount>();

  return {
    find(id) {
      const known = loaded.get(id);
      if (known !== undefined) return recent(known);
      const stored = load(id);
      return stored && keep({ ...stored, raises: stored.raises, queued: 0 });
    },

    open(id) {
      const nothing = nanoUsd(0);
      const empty = { id, granted: null, spent: nothing, held: nothing, raises: undefined };
      return this.find(id) ?? keep({ ...empty, queued: 0 });
    },
  };

  function keep(account: LiveAccount): LiveAccount {
    if (loaded.size >= maxLoaded) dropIdle();
    loaded.set(account.id, account);
    return account;
  }

  /**
   * Moves the account to the end, so that a call's own accounts are not dropped
   * while it loads others.
   */
  function recent(account: LiveAccount): LiveAccount {
    if (loaded.size + MAX_OF_A_CALL >= maxLoaded) {
      loaded.delete(account.id);
      loaded.set(account.id, account);
    }
    return account;
  }

  function dropIdle(): void {
    let looked = 0;
    for (const [id, account] of loaded) {
      if (++looked > MAX_LOOKED_AT) return;
      loaded.delete(id);
      // An account in use moves to the end instead.
      if (account.held > 0 || account.queued > 0) loaded.set(id, account);
    }
  }
}
