import type { Prices } from "../vendor/record.ts";

/** How one product is started, gets its keys, and is asked for its accounts. */
export interface Adapter {
  readonly id: string;
  readonly title: string;
  /** The versions and the settings that it was written for, and if it was run. */
  readonly note: string;
  /** What the program, the database and others must be; shown by `--help`. */
  readonly needs: string;
  prepare(site: Site): Promise<Prepared>;
}

/** Where a gateway is started. */
export interface Site {
  /** For its files; deleted at the end. */
  readonly folder: string;
  readonly port: number;
  readonly models: readonly Model[];
  /** Time after which a silent vendor is given up, as the settings of the product allow. */
  readonly silenceMs: number;
  /** From the command line: the program, as words; undefined for the adapter's own. */
  readonly program?: readonly string[];
  /** From the command line: an empty database, for products that need one. */
  readonly database?: string;
}

/** A model as callers name it, and its channels in the order in which they are tried. */
export interface Model {
  readonly name: string;
  readonly prices: Prices;
  readonly channels: readonly Channel[];
}

interface Channel {
  readonly name: string;
  /** With the version's segment, such as `http://127.0.0.1:8000/good/v1`. */
  readonly address: string;
}

/** A product whose settings are written, before its process runs. */
export interface Prepared {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Answers 200 once calls are accepted. */
  readonly readyPath: string;
  /** Time after which everything that is written late should be written. */
  readonly writeDelayMs: number;
  /** Members of a request that names a model; `{ model }` if absent. */
  requestOf?(model: string): Readonly<Record<string, unknown>>;
  /** The management of the running gateway; called after each start. */
  open(url: string): Promise<Accounts>;
}

/** The money side of a running gateway. */
export interface Accounts {
  /** Once, after the first start: channels and prices that no file can hold. */
  configure?(): Promise<void>;
  createKey(options: KeyOptions): Promise<Key>;
  /** US dollars that a key was charged. */
  spentBy(key: Key): Promise<number>;
  /** Calls of a key that the log has; undefined for products without a log. */
  callsOf?(key: Key): Promise<number>;
}

interface KeyOptions {
  readonly name: string;
  /** US dollars that it may spend; without limit if absent. */
  readonly quota?: number;
}

export interface Key {
  /** How the product's management names it. */
  readonly id: string;
  /** What callers send as bearer token. */
  readonly secret: string;
}
