import type {
  Alert,
  AlertDestination,
  AlertDestinationStore,
  AlertRule,
  AlertRuleStore,
  AlertStore,
  FundsReader,
  GatewayFacts,
  GatewayFactsStore,
} from "#core/alert.ts";
import type { Clock } from "#lib/clock.ts";
import { ulid } from "#lib/ids.ts";
import type { ChannelCondition } from "../failover/channel-condition.ts";
import { evaluateRules } from "./evaluate.ts";
import type { GatewayWatch } from "./gateway-watch.ts";
import { destinationsOf, end, reconcileAlerts } from "./reconcile.ts";
import type { AlertSender } from "./send.ts";
import { EMPTY_SUM, viewOf, type AlertView, type ViewSources } from "./view.ts";

interface AlertWatchDeps {
  readonly sources: ViewSources;
  readonly rules: Pick<AlertRuleStore, "list">;
  readonly destinations: Pick<AlertDestinationStore, "list">;
  readonly alerts: Pick<AlertStore, "open" | "lease" | "apply" | "add">;
  readonly gatewayFacts: Pick<GatewayFactsStore, "read" | "write">;
  readonly funds: FundsReader;
  readonly sender: Pick<AlertSender, "send">;
  readonly watch: Pick<GatewayWatch, "facts">;
  readonly clock: Clock;
  /** Names this process in texts. */
  readonly instance: string;
  /** The interval of evaluations. */
  everyMs(): number;
  /** Throws if the database cannot be written. */
  ping(): Promise<void>;
}

/** Facts and leases are written again after this time, although nothing changed. */
const AGAIN_MS = 30_000;
/** Facts and leases of a gateway end after so many times without a new one. */
const MISSED = 3;
/** A short failure of the database is not told. */
const DATABASE_DOWN_MS = 20_000;

interface WatchedState {
  readonly facts: readonly GatewayFacts[];
  /** Enabled channels, in the words of the channels. */
  readonly channels: readonly { readonly name: string; readonly condition: ChannelCondition }[];
  isPriced(model: string): boolean;
}

/** Evaluates the rules: one gateway of a database at a time. */
export class AlertWatch {
  readonly #deps: AlertWatchDeps;
  #written: { readonly text: string; readonly at: number } | undefined;
  #leasedAt: number | undefined;
  /** As of the last read: the database may be away when they are needed. */
  #rules: readonly AlertRule[] = [];
  #destinations: readonly AlertDestination[] = [];
  #downSince: number | undefined;
  #told: Alert | undefined;
  /** Destinations that the direct message has not reached. */
  #untold: readonly AlertDestination[] = [];
  #state: WatchedState = { facts: [], channels: [], isPriced: () => true };
  #open = 0;

  constructor(deps: AlertWatchDeps) {
    this.#deps = deps;
  }

  /** The state at the last evaluation. */
  get state(): WatchedState {
    return this.#state;
  }

  /** Open alerts at the last evaluation by this gateway; 0 if another one evaluates. */
  get openAlerts(): number {
    return this.#open;
  }

  async run(): Promise<void> {
    try {
      await this.#evaluate();
    } catch (cause) {
      await this.#failed();
      throw cause;
    }
    await this.#recovered();
  }

  get #freshMs(): number {
    return MISSED * Math.max(AGAIN_MS, this.#deps.everyMs());
  }

  async #evaluate(): Promise<void> {
    const { alerts, rules, destinations, gatewayFacts, funds, clock } = this.#deps;
    await this.#writeFacts();
    const facts = await gatewayFacts.read(this.#freshMs);
    const view = viewOf(this.#deps.sources, facts, clock.now());
    const { isPriced } = view;
    this.#state = { facts, channels: await conditionsOf(view), isPriced };
    this.#rules = await rules.list();
    this.#destinations = await destinations.list();
    this.#open = 0;
    if (!(await this.#lease())) return;
    const evaluations = await evaluateRules(this.#rules, view, funds);
    const changes = reconcileAlerts({
      evaluations,
      open: await alerts.open(),
      destinations: this.#destinations,
      now: view.now,
      newId: () => newAlertId(view.now),
    });
    this.#open = evaluations.reduce((sum, { findings }) => sum + findings.length, 0);
    if (changes.length === 0) return;
    if (!(await alerts.apply(changes, view.now))) this.#leasedAt = undefined;
  }

  /** Every gateway writes its own facts, for the one that evaluates. */
  async #writeFacts(): Promise<void> {
    const { watch, gatewayFacts, clock } = this.#deps;
    const facts: GatewayFacts = watch.facts();
    const text = JSON.stringify(facts);
    const now = clock.monotonic();
    if (this.#written?.text === text && now - this.#written.at < AGAIN_MS) return;
    await gatewayFacts.write(facts);
    this.#written = { text, at: now };
  }

  async #lease(): Promise<boolean> {
    const now = this.#deps.clock.monotonic();
    if (this.#leasedAt !== undefined && now - this.#leasedAt < AGAIN_MS) return true;
    const isLeased = await this.#deps.alerts.lease(this.#freshMs);
    this.#leasedAt = isLeased ? now : undefined;
    return isLeased;
  }

  /**
   * Without a database there is no outbox: the message goes out directly, once to each destination
   * that takes it.
   */
  async #failed(): Promise<void> {
    const { clock, ping, sender } = this.#deps;
    const isDown = await ping().then(
      () => false,
      () => true,
    );
    if (!isDown) return;
    const now = clock.now();
    this.#downSince ??= now;
    const rule = this.#databaseRule();
    const isShort = now - this.#downSince < DATABASE_DOWN_MS;
    if (rule === undefined || isShort) return;
    if (this.#told === undefined) {
      const to = destinationsOf(rule, this.#destinations);
      this.#untold = this.#destinations.filter(({ id }) => to.includes(id));
      this.#told = { ...databaseAlert(rule, this.#deps.instance, this.#downSince), toldAt: now };
    }
    const alert = this.#told;
    const message = { event: "began", at: now, alert } as const;
    const sent = await Promise.all(
      this.#untold.map((each) => sender.send(each, `${alert.id}.1.${each.id}`, message)),
    );
    this.#untold = this.#untold.filter((_, index) => sent[index]?.isDelivered !== true);
  }

  async #recovered(): Promise<void> {
    const [alert, rule] = [this.#told, this.#databaseRule()];
    if (alert !== undefined && rule !== undefined) {
      const now = this.#deps.clock.now();
      const state = { now, destinations: this.#destinations };
      await this.#deps.alerts.add(end({ ...alert, seenAt: now }, rule, state), now);
    }
    this.#downSince = undefined;
    this.#told = undefined;
  }

  #databaseRule(): AlertRule | undefined {
    const now = this.#deps.clock.now();
    return this.#rules.find(
      ({ kind, isEnabled, silencedUntil = 0 }) =>
        kind === "database_down" && isEnabled && silencedUntil <= now,
    );
  }
}

const RECENT_MINUTES = 5;

async function conditionsOf(view: AlertView): Promise<WatchedState["channels"]> {
  const sums = await view.sums(RECENT_MINUTES);
  return [...view.channels.keys()].map((name) => ({
    name,
    condition: view.conditionOf(name, sums.get(name) ?? EMPTY_SUM),
  }));
}

function newAlertId(now: number): string {
  return `alert_${ulid(now)}`;
}

function databaseAlert(rule: AlertRule, instance: string, since: number): Alert {
  return {
    id: newAlertId(since),
    ruleId: rule.id,
    ruleName: rule.name,
    kind: "database_down",
    subject: instance,
    level: 0,
    text: `The gateway ${instance} cannot write to its database. Calls are refused.`,
    beganAt: since,
    seenAt: since,
    toldLevel: 0,
    messages: 1,
  };
}
