import {
  LIMITS,
  SETTINGS,
  type Config,
  type Origin,
  type Setting,
  type Settings,
} from "#config.ts";
import { GatewayError, invalid } from "#core/error.ts";
import type { RateLimits } from "#core/limits.ts";
import type { ChangeableSettings, SettingStore, ShownSetting } from "#core/setting.ts";
import type { RoutingVersion } from "#core/stored-routing.ts";
import { currentPaths, underCurrentNames } from "./former-names.ts";
import { limitsOf } from "./documents/limits.ts";
import { describePlace, quote } from "./mistakes.ts";
import type { Parser } from "./parsers.ts";

interface LiveSettingsDeps {
  readonly config: Config;
  readonly store: SettingStore;
  readonly version: RoutingVersion;
  /** The stored value under this name is invalid and has no effect. */
  readonly onError: (name: string) => void;
  readonly onLoad: (now: Settings) => void;
}

/** One setting and its stored value. */
interface Slot {
  readonly name: string;
  readonly row: Setting<unknown>;
  readonly table: object;
  readonly key: string;
}

/**
 * Settings, of which some can change at run time. Values from the environment
 * or the file take precedence; stored values only replace defaults.
 */
export class LiveSettings implements ChangeableSettings {
  /** Updated in place: read the property each time to get the latest value. */
  readonly now: Settings;
  readonly #deps: LiveSettingsDeps;
  readonly #slots: readonly Slot[];
  #stored: ReadonlyMap<string, string> = new Map();
  /** Names of settings with an effective stored value. */
  readonly #holding = new Set<string>();
  #userLimits: RateLimits | undefined;
  #version: string | undefined;
  #loading: Promise<void> = Promise.resolve();

  constructor(deps: LiveSettingsDeps) {
    const { settings } = deps.config;
    this.#deps = deps;
    this.now = { ...settings, limits: { ...settings.limits } };
    this.#slots = [...slotsIn(SETTINGS, this.now), ...slotsIn(LIMITS, this.now.limits)];
  }

  get #rows(): readonly Setting<unknown>[] {
    return this.#slots.map(({ row }) => row);
  }

  /** The limits of every user, for all keys together. */
  get userLimits(): RateLimits | undefined {
    return this.#userLimits;
  }

  /** Applies the stored values. Loads run one after the other, so that the latest wins. */
  async load(): Promise<void> {
    const loading = this.#loading.then(() => this.#load());
    this.#loading = loading.catch(() => {});
    await loading;
  }

  /** Loads the values if they have changed since the last load. */
  async refresh(): Promise<void> {
    if ((await this.#deps.version.read()) !== this.#version) await this.load();
  }

  list(): readonly ShownSetting[] {
    return this.#slots.map((slot) => this.#show(slot));
  }

  async set(written: string, text: string): Promise<ShownSetting> {
    const slot = this.#changeable(written);
    const { name } = slot;
    const owner = this.ownerOf(name);
    if (owner !== undefined) {
      throw new GatewayError("invalid_request", `'${name}' is set by ${owner}. Change it there.`);
    }
    await this.#deps.store.put(name, read(text, slot.row.parser));
    await this.#deleteFormer(slot);
    await this.load();
    return this.#show(slot);
  }

  async reset(written: string): Promise<ShownSetting> {
    const slot = this.#changeable(written);
    const { name } = slot;
    const wasStored = await this.#deps.store.delete(name);
    if (!(await this.#deleteFormer(slot)) && !wasStored) {
      throw new GatewayError("not_found", `Nothing is stored for '${name}'.`);
    }
    await this.load();
    return this.#show(slot);
  }

  /** The environment variable, or the position in the file, that prevents changes here. */
  ownerOf(name: string): string | undefined {
    const from = this.#deps.config.origins.get(name)?.from ?? "default";
    return from === "default" ? undefined : describePlace(from);
  }

  async #load(): Promise<void> {
    const { version, store, onError, onLoad } = this.#deps;
    const isFirst = this.#version === undefined;
    // Read before the rows: a concurrent change is then found by the next refresh.
    const latest = await version.read();
    const before = this.#stored;
    this.#stored = underCurrentNames(await store.list(), this.#rows);
    this.#version = latest;
    for (const slot of this.#slots) {
      const { name, row } = slot;
      if (row.stored === undefined || this.ownerOf(name) !== undefined) continue;
      const text = this.#stored.get(name);
      const value = text === undefined ? undefined : row.parser.parse(text);
      const isNew = text !== undefined && text !== before.get(name);
      if (isNew && value === undefined) onError(name);
      if (isFirst || row.stored === "at once") this.#take(slot, value);
    }
    const { userRpm, userTpm, userConcurrency } = this.now;
    this.#userLimits = limitsOf({
      rpm: userRpm,
      tpm: userTpm,
      concurrency: userConcurrency,
    });
    onLoad(this.now);
  }

  #take({ name, row, table, key }: Slot, value: unknown): void {
    Object.assign(table, { [key]: value ?? row.default });
    if (value === undefined) this.#holding.delete(name);
    else this.#holding.add(name);
  }

  async #deleteFormer({ row: { formerly } }: Slot): Promise<boolean> {
    return formerly !== undefined && (await this.#deps.store.delete(formerly.path));
  }

  #changeable(written: string): Slot {
    const name = currentPaths(this.#rows).get(written) ?? written;
    const slot = this.#slots.find((each) => each.name === name);
    if (slot === undefined) throw new GatewayError("not_found", "The setting does not exist.");
    if (slot.row.stored !== undefined) return slot;
    const { env, path } = slot.row;
    const inFile = path === undefined ? "" : `, or ${path} in the file,`;
    throw new GatewayError(
      "invalid_request",
      `'${name}' cannot change at run time: set ${env}${inFile} and restart the gateway.`,
    );
  }

  #show({ name, row, table, key }: Slot): ShownSetting {
    const { env: variable, doc, stored: onset, parser } = row;
    const { from = "default" } = this.#deps.config.origins.get(name) ?? {};
    const value: unknown = Reflect.get(table, key);
    return {
      name,
      variable,
      value: value === undefined ? undefined : parser.format(value),
      source: this.#holding.has(name) ? "stored" : sourceOf(from),
      place: from === "default" ? undefined : describePlace(from),
      stored: this.#stored.get(name),
      default: row.default === undefined ? undefined : parser.format(row.default),
      doc,
      takes: parser.expects,
      onset,
    };
  }
}

function slotsIn(rows: Readonly<Record<string, Setting<unknown>>>, table: object): Slot[] {
  return Object.entries(rows).map(([key, row]) => ({ name: row.path ?? row.env, row, table, key }));
}

function sourceOf(from: Origin["from"]): ShownSetting["source"] {
  if (from === "default") return "default";
  return "variable" in from ? "environment" : "file";
}

/** Normalises the notation of a value. */
function read<T>(text: string, parser: Parser<T>): string {
  const value = parser.parse(text);
  if (value !== undefined) return parser.format(value);
  throw invalid("value", `${quote(text)} ${parser.explain?.(text) ?? `is not ${parser.expects}.`}`);
}
