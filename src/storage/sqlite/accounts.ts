import type { AccountId } from "#core/key.ts";
import type { Account } from "#core/ledger.ts";
import { nanoUsd, type NanoUsd } from "#core/money.ts";

/** An account in memory, ahead of the database by what is queued. */
export interface LiveAccount extends Account {
  granted: NanoUsd | null;
  spent: NanoUsd;
  held: NanoUsd;
  /** Writes that are queued for it: while there are any, the database is behind. */
  queued: number;
}

export interface Accounts {
  find(id: AccountId): LiveAccount | undefined;
  open(id: AccountId): LiveAccount;
}

const MAX_LOOKED_AT = 16;
/** Accounts that a call draws on: three owners', each in all, by the month and by the day. */
const MAX_OF_A_CALL = 9;

/**
 * The accounts of the one gateway that owns its database: what stands here is
 * what is true. They are read when first needed, and dropped again, oldest
 * first, when there are too many and nothing is going on with them.
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
      return stored && keep({ ...stored, queued: 0 });
    },

    open(id) {
      const nothing = nanoUsd(0);
      return this.find(id) ?? keep({ id, granted: null, spent: nothing, held: nothing, queued: 0 });
    },
  };

  function keep(account: LiveAccount): LiveAccount {
    if (loaded.size >= maxLoaded) dropIdle();
    loaded.set(account.id, account);
    return account;
  }

  /** To the end of the line, so that what a call has just asked for does not make room for what it asks for next. */
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
      // What is in use goes to the end of the line instead.
      if (account.held > 0 || account.queued > 0) loaded.set(id, account);
    }
  }
}
