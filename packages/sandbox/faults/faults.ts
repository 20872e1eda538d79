import {
  flag,
  headerText,
  integer,
  oneOf,
  optional,
  optionalInteger,
  text,
  type ArgumentReader,
} from "./arguments.ts";

/**
 * Every way the sandbox can misbehave on request, with its arguments and their
 * defaults. One reply can carry several faults.
 */
const FAULTS = {
  /** The vendor's error body, or a proxy's HTML page. */
  status: {
    code: integer(400, 599, 500),
    retry_after: optionalInteger(0, 86_400),
    retry_after_ms: optionalInteger(0, 86_400_000),
    error: optional,
    message: optional,
    html: flag,
  },
  /** The request is read and never answered. */
  hang: {},
  /** Waits before the first byte of the reply, headers included, and between its events. */
  slow: { first_ms: integer(0, 3_600_000, 0), between_ms: integer(0, 3_600_000, 0) },
  /** Cuts the connection after so many bytes of the body, or after a number of them drawn by the seed. */
  reset: {
    bytes: optionalInteger(0, 2 ** 31),
    seed: optional,
    how: oneOf("rst", "fin"),
    before_headers: flag,
  },
  /** Ends in good order after so many events, with neither finish nor terminator; half of a JSON body. */
  truncate: { events: integer(0, 1_000_000, 2) },
  /** The stream's terminator is missing. */
  nodone: {},
  /** HTTP 200 with an error as its JSON body. */
  error200: { error: optional, message: optional },
  /** HTTP 200 with a page: what stands at many an address that is not the API's. */
  page200: {},
  /** An error as an event of the stream. */
  streamerror: { after: integer(0, 1_000_000, 2), error: optional, message: optional, done: flag },
  /** One event of the stream, or the JSON body, is broken. */
  malformed: { kind: oneOf("json", "blankline", "nul", "field"), at: integer(0, 1_000_000, 2) },
  /** Legal but unusual ways to write an event stream. */
  crlf: {},
  cr: {},
  bom: {},
  nospace: {},
  comments: {},
  /** The body is written in so many bytes at a time. */
  split: { size: integer(1, 1_048_576, 1), gap_ms: integer(0, 60_000, 0) },
  /** Usage is left out, is nonsense, or comes with every event. */
  nousage: {},
  lyingusage: { kind: oneOf("negative", "huge", "string", "zero") },
  dupusage: {},
  /** One event of so many mebibytes. */
  bigevent: { mib: integer(1, 128, 1) },
  /** The answer never ends. */
  endless: {},
  redirect: { to: headerText, code: integer(300, 308, 302) },
  /** The body is compressed, regardless of `accept-encoding`. */
  gzip: {},
  /** Tool calls as other vendors write them. */
  toolquirks: {
    style: oneOf(
      "repeatid",
      "emptyid",
      "nullid",
      "noindex",
      "sameindex",
      "notype",
      "repeatname",
      "nullarguments",
      "object",
      "whole",
      "stop",
    ),
  },
  /** So much of an answer in one request; the rest comes for a continuation token, where a model has that. */
  hop: { tokens: integer(1, 1_000_000, 32) },
  /** Another reason to finish than the true one. */
  finish: { reason: text },
} as const satisfies Record<string, Record<string, ArgumentReader<unknown>>>;

type FaultName = keyof typeof FAULTS;

/** The faults of one reply, with all their arguments. */
export type Faults = { readonly [Name in FaultName]?: FaultArguments<Name> };

type FaultArguments<Name extends FaultName> = {
  readonly [Key in keyof (typeof FAULTS)[Name]]: (typeof FAULTS)[Name][Key] extends ArgumentReader<
    infer Value
  >
    ? Value
    : never;
};

/** A fault as it was asked for, by magic words or through the control endpoint. */
export interface FaultRequest {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
}

export function readFaults(requests: readonly FaultRequest[]): Faults {
  return Object.fromEntries(requests.map(({ name, args }) => [name, readArguments(name, args)]));
}

/** A misspelt fault must not pass for a test that succeeded. */
export class UnknownFault extends Error {
  override readonly name = "UnknownFault";
}

function readArguments(
  name: string,
  args: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const readers = readersOf(name);
  const unknown = Object.keys(args).find((key) => !Object.hasOwn(readers, key));
  if (unknown !== undefined) {
    throw new UnknownFault(
      `The fault ${name} has no argument ${unknown}; it has: ${Object.keys(readers).join(", ")}.`,
    );
  }
  return Object.fromEntries(
    Object.entries(readers).map(([key, read]) => {
      const value = read(Object.hasOwn(args, key) ? args[key] : undefined);
      if (value instanceof Error)
        throw new UnknownFault(`The argument ${key} of the fault ${name} ${value.message}.`);
      return [key, value];
    }),
  );
}

function readersOf(name: string): Record<string, ArgumentReader<unknown>> {
  const readers = Object.entries(FAULTS).find(([each]) => each === name)?.[1];
  if (readers === undefined) {
    throw new UnknownFault(
      `There is no fault ${name}; there are: ${Object.keys(FAULTS).join(", ")}.`,
    );
  }
  return readers;
}
