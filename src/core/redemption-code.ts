import type { NanoUsd } from "./money.ts";

/** Codes that were created together. Each raises the quota of one user, once. */
export interface CodeBatch {
  readonly id: number;
  /** The quota that each code grants. */
  readonly amount: NanoUsd;
  /** The number of codes. */
  readonly count: number;
  readonly redeemed: number;
  readonly note?: string;
  readonly createdBy: number;
  readonly creator: string;
  /** Unix ms. */
  readonly createdAt: number;
  /** Unix ms; the codes never expire if it is absent. */
  readonly expiresAt?: number;
  /** Unix ms. */
  readonly revokedAt?: number;
}

interface CodeBatchDraft {
  readonly amount: NanoUsd;
  readonly count: number;
  readonly createdBy: number;
  readonly note?: string;
  readonly expiresAt?: number;
}

/** A code without its text, which is not stored. */
export interface CodeRecord {
  readonly id: number;
  readonly redeemedBy?: { readonly id: number; readonly name: string };
  /** Unix ms. */
  readonly redeemedAt?: number;
}

interface Page {
  /** The last id of the previous page; 0 for the first. */
  readonly after: number;
  readonly limit: number;
}

interface CodePage extends Page {
  /** Only codes that were redeemed, or only those that were not. */
  readonly isRedeemed?: boolean;
}

export interface RedemptionCodes {
  /**
   * The codes are in this result and stored nowhere else. Throws
   * `invalid_request` at the limit of unused codes.
   */
  create(
    draft: CodeBatchDraft,
  ): Promise<{ readonly id: number; readonly codes: readonly string[] }>;
  find(id: number): Promise<CodeBatch | undefined>;
  /** Ordered by id. */
  list(page: Page): Promise<readonly CodeBatch[]>;
  codes(batchId: number, page: CodePage): Promise<readonly CodeRecord[]>;
  /** Unused codes can no longer be redeemed. False if the batch does not exist, or was revoked before. */
  revoke(id: number): Promise<boolean>;
  /**
   * Raises the user's quota with an entry of the ledger, in the transaction
   * that marks the code. Undefined for a code that is unknown, used, expired
   * or revoked. Throws `invalid_request` if the quota is unlimited; the code
   * then stays unused.
   */
  redeem(code: string, userId: number): Promise<NanoUsd | undefined>;
  /**
   * Deletes at most `limit` unused codes of batches that ended before a time
   * (Unix ms); returns their number. Redeemed codes and batches stay.
   */
  prune(before: number, limit: number): Promise<number>;
}

export const MAX_CODES = 10_000;

const CHARS = 20;
const GROUPS = /(.{5})(?=.)/g;

/** Crockford's base 32: digits and capitals without I, L, O and U. */
const CODE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** 100 random bits in four groups. `bytes`: one for each character. */
export function writeCode(bytes: Uint8Array): string {
  const text = Array.from(bytes.subarray(0, CHARS), (byte) => CODE_ALPHABET.charAt(byte & 31));
  return text.join("").replaceAll(GROUPS, "$1-");
}

export const CODE_BYTES = CHARS;

/** The form of a code that is digested; undefined for other texts. People confuse O with 0, and I and L with 1. */
export function readCode(text: string): string | undefined {
  const bare = text.toUpperCase().replaceAll(/[\s-]/g, "");
  const clear = bare.replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  return /^[0-9A-HJKMNP-TV-Z]{20}$/.test(clear) ? clear : undefined;
}
