import type { DescribedStores } from "./configuration.ts";
import type { Family } from "./family.ts";
import type { AccountId, Period } from "./key.ts";
import type { RateLimits } from "./limits.ts";
import type { NanoUsd } from "./money.ts";
import type { QuotaStore } from "./quota.ts";
import type { CreatedKey, KeyDraft } from "./user-keys.ts";
import type { Role, UserStore } from "./user.ts";
import type { JsonObject } from "#lib/json.ts";

/** Kinds of objects that another gateway's data becomes, in the order of their creation. */
export const IMPORTED_KINDS = [
  "channels",
  "models",
  "groups",
  "teams",
  "users",
  "members",
  "keys",
] as const;
export type ImportedKind = (typeof IMPORTED_KINDS)[number];

/** A secret that clients already hold. */
export type HeldSecret =
  /** `isPrefixOptional`: clients may leave out the `sk-` at its start. */
  | { readonly text: string; readonly isPrefixOptional?: true }
  /** Only its digest is known. `sha256`: in lower-case hexadecimal. */
  | { readonly sha256: string; readonly last4: string };

export type ImportedKeyDraft = KeyDraft & {
  readonly secret: HeldSecret;
  readonly isEnabled: boolean;
};

/** An object of another gateway, and the one that it became here. */
interface ImportedObject {
  readonly kind: ImportedKind;
  /** The id at the other gateway; of a key, the digest of its secret. */
  readonly ref: string;
  /** The id here, or the name of an object without one. */
  readonly target: string;
}

/** Remembers imports, so that a repeated one creates nothing twice. */
export interface ImportedObjects {
  /** All objects that came from this source. */
  list(source: string): Promise<readonly ImportedObject[]>;
  add(source: string, object: ImportedObject): Promise<void>;
}

export interface ImportStores extends Pick<DescribedStores, "channels" | "models" | "groups"> {
  readonly teams: DescribedStores["teams"];
  readonly users: Pick<UserStore, "create" | "change" | "findAll" | "findByEmail">;
  readonly quotas: Pick<QuotaStore, "set">;
  readonly keys: {
    /** The same for equal secrets. */
    digestOf(secret: HeldSecret): string;
    /** Whether a key has this secret. */
    isKnown(digest: string): Promise<boolean>;
    /** Names of the user's keys. */
    names(userId: number): Promise<readonly string[]>;
    create(draft: ImportedKeyDraft): Promise<Pick<CreatedKey["key"], "id">>;
  };
  readonly imported: ImportedObjects;
  /**
   * Adds an earlier spending to an account that was created in this import. `granted`: the limit
   * of the account if it is not open yet.
   */
  carry(id: AccountId, spent: NanoUsd, granted: NanoUsd | null, note: string): Promise<void>;
}

/** The stores of imports. */
export interface ImportStorage {
  /** For plans, which only read. */
  readonly stores: ImportStores;
  /** Runs an import in one transaction. */
  atomically<T>(run: (stores: ImportStores) => Promise<T>): Promise<T>;
}

interface ImportedItem {
  /** The id at the other gateway, which tells objects of one kind apart. */
  readonly ref: string;
  readonly name: string;
  /** Differences from the other gateway, as sentences. */
  readonly changes: readonly string[];
}

/** A channel, model or group in the words of documents. */
export interface DescribedItem extends ImportedItem {
  readonly fields: JsonObject;
}

export interface ImportedChannel extends DescribedItem {
  readonly isEnabled: boolean;
}

export interface ImportedGroup extends DescribedItem {
  /** Refs of the channels that it may use; all if absent. */
  readonly channels?: readonly string[] | undefined;
}

export interface ImportedBudget {
  readonly period: Period;
  /** Undefined if the budget only warns. */
  readonly amount?: NanoUsd | undefined;
  readonly warn?: NanoUsd | undefined;
  /** Spent in the current period. */
  readonly spent?: NanoUsd | undefined;
}

/** The bounds of an owner and the amounts spent. */
export interface ImportedFunds {
  /** The total amount, including the amount spent; unlimited if absent. */
  readonly quota?: NanoUsd | undefined;
  readonly spent?: NanoUsd | undefined;
  readonly budgets: readonly ImportedBudget[];
}

export interface ImportedTeam extends ImportedItem, ImportedFunds {}

export interface ImportedUser extends ImportedItem, ImportedFunds {
  readonly displayName?: string | undefined;
  readonly email?: string | undefined;
  readonly role: Exclude<Role, "root">;
  readonly isEnabled: boolean;
  /** Makes it a service account, which needs a team. */
  readonly isService?: true | undefined;
  readonly isTeamOwner?: true | undefined;
  readonly group?: string | undefined;
  readonly team?: string | undefined;
}

/** A user in the name of a team, which need not be the user's own. */
export interface ImportedMember extends ImportedItem {
  readonly team: string;
  readonly user: string;
  readonly budgets: readonly ImportedBudget[];
}

export interface ImportedKey extends ImportedItem, ImportedFunds {
  readonly user: string;
  readonly team?: string | undefined;
  /** The group of its calls, in place of its user's. */
  readonly group?: string | undefined;
  readonly secret: HeldSecret;
  readonly isEnabled: boolean;
  /** Unix ms. */
  readonly expiresAt?: number | undefined;
  readonly models: readonly string[];
  readonly networks?: readonly string[] | undefined;
  readonly endpoints?: readonly Family[] | undefined;
  readonly limits?: RateLimits | undefined;
}

/** Something of the other gateway that has no place here. */
export interface LeftOut {
  readonly subject: string;
  readonly why: string;
}

/** The data of another gateway in the words of this one. */
export interface ImportDocument {
  /** The name of this import; objects of imports of one name are told apart by their refs. */
  readonly source: string;
  readonly channels: readonly ImportedChannel[];
  readonly models: readonly DescribedItem[];
  readonly groups: readonly ImportedGroup[];
  readonly teams: readonly ImportedTeam[];
  readonly users: readonly ImportedUser[];
  readonly members: readonly ImportedMember[];
  readonly keys: readonly ImportedKey[];
  readonly left: readonly LeftOut[];
}

export interface PlannedImport {
  readonly kind: ImportedKind;
  readonly ref: string;
  /** The name here. */
  readonly name: string;
  /** `present`: it came with an earlier import, and stays as it is. */
  readonly action: "create" | "present" | "leave";
  readonly changes: readonly string[];
  /** The reason to leave it out. */
  readonly why?: string;
}

export interface ImportPlan {
  /** Changes if the document or the objects here change. */
  readonly digest: string;
  readonly items: readonly PlannedImport[];
  readonly left: readonly LeftOut[];
}

export interface Importer {
  plan(document: ImportDocument): Promise<ImportPlan>;
  /**
   * Creates all planned objects or none. Throws `plan_outdated` if the digest differs from that of a
   * new plan. `actor`: for the ledger.
   */
  apply(document: ImportDocument, digest: string, actor: string): Promise<ImportPlan>;
}
