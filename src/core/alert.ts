import type { ChannelTroubles } from "./channel-troubles.ts";
import type { Period } from "./key.ts";
import { isMailAddress } from "./mail.ts";

/** The conditions that a rule can watch. */
export const ALERT_KINDS = [
  "channel_refused",
  "channel_failing",
  "channel_slow",
  "model_down",
  "error_rate",
  "budget",
  "quota",
  "unpriced_model",
  "simulated",
  "job_failing",
  "redis_down",
  "database_down",
  "certificate",
  "secret",
  "login_guesses",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** The numbers that a rule compares with. */
export interface AlertTerms {
  /** The time that is looked at. */
  readonly minutes?: number;
  /** Share of failures from which it begins. */
  readonly percent?: number;
  /** With fewer calls or attempts, a share says nothing. */
  readonly calls?: number;
  /** Shares of a budget or quota, each a level. */
  readonly levels?: readonly number[];
  /** Days before the end of a certificate. */
  readonly days?: number;
  /** Time to the first byte. */
  readonly seconds?: number;
  /** Failures in a row of a job, or failed logins of an address. */
  readonly failures?: number;
}

/** The terms of each kind with their defaults; a rule has no others. */
export const DEFAULT_TERMS: Readonly<Record<AlertKind, AlertTerms>> = {
  channel_refused: { minutes: 5 },
  channel_failing: { minutes: 5, percent: 50, calls: 5 },
  channel_slow: { minutes: 5, seconds: 10, calls: 5 },
  model_down: { minutes: 5 },
  error_rate: { minutes: 5, percent: 10, calls: 20 },
  budget: { levels: [50, 80, 100] },
  quota: { levels: [90, 100] },
  unpriced_model: { minutes: 1_440 },
  simulated: {},
  job_failing: { failures: 3 },
  redis_down: {},
  database_down: {},
  certificate: { days: 14 },
  secret: {},
  login_guesses: { failures: 20 },
};

export interface AlertRuleDraft {
  /** Unique. */
  readonly name: string;
  readonly kind: AlertKind;
  readonly isEnabled: boolean;
  /** Those that differ from the defaults. */
  readonly terms: AlertTerms;
  /** Names of destinations; all enabled ones if absent. */
  readonly destinations?: readonly string[];
  /** Interval at which an open alert is told again; never if absent. */
  readonly remindMinutes?: number;
}

export interface AlertRule extends AlertRuleDraft {
  readonly id: number;
  /** Unix ms: nothing is sent until then. */
  readonly silencedUntil?: number;
}

/** `null` restores the default. */
export type AlertRuleChange = {
  readonly [Field in keyof AlertRuleDraft]?:
    | AlertRuleDraft[Field]
    | (undefined extends AlertRuleDraft[Field] ? null : never);
};

/** The rules of all gateways of one database. */
export interface AlertRuleStore {
  /** Ordered by id. */
  list(): Promise<readonly AlertRule[]>;
  /** Throws `invalid_request` if the name is taken, or a destination does not exist. */
  create(draft: AlertRuleDraft): Promise<AlertRule>;
  /** Undefined if there is no such rule. */
  change(id: number, change: AlertRuleChange): Promise<AlertRule | undefined>;
  /** Also ends its alerts, without a message. */
  delete(id: number): Promise<boolean>;
  /** Unix ms; `null` ends the silence. False if there is no such rule. */
  silence(id: number, until: number | null): Promise<boolean>;
}

export const DESTINATION_KINDS = [
  "webhook",
  "email",
  "slack",
  "discord",
  "feishu",
  "dingtalk",
  "wecom",
] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** Where messages go. The URL of a chat service is a secret by itself. */
export interface DestinationAddress {
  /** Absent for e-mail. */
  readonly url?: string;
  /** Signs the messages. */
  readonly secret?: string;
  /** E-mail addresses. */
  readonly to?: readonly string[];
}

interface AlertDestinationDraft {
  /** Unique. */
  readonly name: string;
  readonly kind: DestinationKind;
  readonly isEnabled: boolean;
  readonly address: DestinationAddress;
}

export interface AlertDestination {
  readonly id: number;
  readonly name: string;
  readonly kind: DestinationKind;
  readonly isEnabled: boolean;
  /** Undefined if it cannot be decrypted. */
  readonly address: DestinationAddress | undefined;
  /** Unix ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The destinations of all gateways of one database; their addresses are stored encrypted. */
export interface AlertDestinationStore {
  /** Ordered by id. */
  list(): Promise<readonly AlertDestination[]>;
  find(id: number): Promise<AlertDestination | undefined>;
  /** Throws `invalid_request` if the name is taken. */
  create(draft: AlertDestinationDraft): Promise<AlertDestination>;
  /** Rules follow a new name. Undefined if there is no such destination. */
  change(id: number, change: Partial<AlertDestinationDraft>): Promise<AlertDestination | undefined>;
  /** Rules that name it send to their other destinations only. */
  delete(id: number): Promise<boolean>;
}

/** A condition that holds now. */
export interface AlertFinding {
  readonly ruleId: number;
  /** The channel, account or job that is concerned. One alert for each is open. */
  readonly subject: string;
  /** Higher is worse. */
  readonly level: number;
  /** For people. */
  readonly text: string;
  /** Unix ms: it was last seen then; now if absent. */
  readonly seenAt?: number;
}

/** A condition from its begin to its end. */
export interface Alert {
  readonly id: string;
  readonly ruleId: number;
  readonly ruleName: string;
  readonly kind: AlertKind;
  readonly subject: string;
  readonly level: number;
  readonly text: string;
  /** Unix ms. */
  readonly beganAt: number;
  readonly seenAt: number;
  readonly endedAt?: number;
  /** The level that was last told; undefined if nothing was told yet. */
  readonly toldLevel?: number;
  readonly toldAt?: number;
  /** Messages so far. */
  readonly messages: number;
  readonly acknowledgedAt?: number;
  readonly acknowledgedBy?: string;
  readonly silencedUntil?: number;
}

export const ALERT_EVENTS = ["began", "worsened", "reminder", "ended"] as const;
export type AlertEvent = (typeof ALERT_EVENTS)[number] | "test";

/** An alert in its new state, and the messages about it. */
export interface AlertChange {
  readonly alert: Alert;
  readonly event?: (typeof ALERT_EVENTS)[number];
  /** Ids of destinations; empty without an event. */
  readonly destinations: readonly number[];
}

interface AlertQuery {
  readonly state?: "open" | "ended";
  readonly kind?: AlertKind;
  /** Id of the last alert of the previous page. */
  readonly before?: string;
  readonly limit: number;
}

/** The alerts of all gateways of one database. */
export interface AlertStore {
  /** Open ones, in the order of their begin. */
  open(): Promise<readonly Alert[]>;
  /** Latest begin first. */
  list(query: AlertQuery): Promise<readonly Alert[]>;
  /** False if there is no such open alert. */
  acknowledge(id: string, by: string, now: number): Promise<boolean>;
  /** Unix ms; `null` ends the silence. False if there is no such open alert. */
  silence(id: string, until: number | null): Promise<boolean>;
  /** True if this gateway evaluates the rules for the next `ms`. */
  lease(ms: number): Promise<boolean>;
  /** Another gateway may evaluate at once. */
  release(): Promise<void>;
  /**
   * Writes changes and their messages together; false, and nothing is written, if another
   * gateway has the lease by now.
   */
  apply(changes: readonly AlertChange[], now: number): Promise<boolean>;
  /** Writes a change that no evaluation makes. */
  add(change: AlertChange, now: number): Promise<void>;
  /** Deletes alerts that ended before this time, at most `limit`; returns their number. */
  prune(before: number, limit: number): Promise<number>;
}

/** Facts that one gateway alone knows. */
export interface GatewayFacts {
  /** Ids of gateways are new at each start. */
  readonly instance: string;
  /** Only channels that have some. */
  readonly troubles: Readonly<Record<string, ChannelTroubles>>;
  readonly unpriced: readonly { readonly model: string; readonly at: number }[];
  readonly isSimulated: boolean;
  readonly jobs: readonly {
    readonly name: string;
    readonly failures: number;
    readonly since: number;
  }[];
  /** Unix ms: Redis has not answered since then. */
  readonly redisDownSince?: number;
  readonly certificates: readonly { readonly host: string; readonly endsAt: number }[];
  /** Sentences about secrets of the operator, by a stable name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Failed logins of the last minutes. `at`: the last one. */
  readonly guesses: readonly {
    readonly address: string;
    readonly failures: number;
    readonly at: number;
  }[];
}

export interface GatewayFactsStore {
  write(facts: GatewayFacts): Promise<void>;
  /** Of all gateways that wrote within the last `ms`. */
  read(ms: number): Promise<readonly GatewayFacts[]>;
  /** For a gateway that ends. */
  delete(instance: string): Promise<void>;
}

/** An account of which much is used. */
export interface UsedFunds {
  /** `team:3`, `user:7@2026-11`: an id of the ledger. */
  readonly account: string;
  /** "team research", "key of ann: laptop". */
  readonly owner: string;
  /** `quota` for a total. */
  readonly period: Period | "quota";
  /** Nano-dollars. */
  readonly spent: number;
  readonly limit: number;
}

/** Reads how far budgets and quotas are used. */
export interface FundsReader {
  /** Budgets of the current periods of which this share is used; fullest first, at most `limit`. */
  budgets(share: number, limit: number): Promise<readonly UsedFunds[]>;
  /** The same for total quotas. */
  quotas(share: number, limit: number): Promise<readonly UsedFunds[]>;
}

/** The reason why a kind of rule cannot have these terms, to complete "The rule"; or undefined. */
export function termsProblem(kind: AlertKind, terms: AlertTerms): string | undefined {
  const known = Object.keys(DEFAULT_TERMS[kind]);
  const other = Object.keys(terms).find((term) => !known.includes(term));
  if (other === undefined) return undefined;
  const all = known.length === 0 ? "none" : known.join(", ");
  return `has the term '${other}', but the terms of ${kind} are: ${all}.`;
}

const SIGNED: readonly DestinationKind[] = ["feishu", "dingtalk"];
export const MAX_MAIL_ADDRESSES = 20;

/** The reason why a kind of destination cannot have this address, to complete "The destination". */
export function addressProblem(
  kind: DestinationKind,
  { url, secret, to }: DestinationAddress,
): string | undefined {
  if (kind === "email") {
    if (url !== undefined || secret !== undefined) return "of kind email has only 'to'.";
    if (to === undefined || to.length === 0) return "needs 'to', a list of e-mail addresses.";
    return to.every(isMailAddress) ? undefined : "has an entry of 'to' that is no e-mail address.";
  }
  if (to !== undefined) return `of kind ${kind} has no 'to'.`;
  if (url === undefined) return "needs 'url'.";
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return "needs an http or https 'url'.";
  if (secret === undefined || kind === "webhook" || SIGNED.includes(kind)) return undefined;
  return `of kind ${kind} has no 'secret'.`;
}

/** The address as it may be shown: the path of a chat service's URL is a secret. */
export function shownUrl(url: string): string {
  return `${URL.parse(url)?.origin ?? ""}/***`;
}
