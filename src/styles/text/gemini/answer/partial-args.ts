import { ExactNumber } from "#lib/exact-number.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, objectOf, textOf } from "#lib/values.ts";

/** A value under construction: the same as JSON, but for being written to. */
type Draft = Scalar | Draft[] | { [name: string]: Draft };
type Scalar = string | number | boolean | null | ExactNumber;

const MAX_STEPS = 64;
const MAX_INDEX = 10_000;

/** Arguments as a call holds them: whole, or as a list of places and what belongs there. */
export function argumentsIn(called: JsonObject): JsonObject {
  const partial = listOf(called["partialArgs"]);
  if (partial.length === 0) return objectOf(called["args"]) ?? {};
  const args = new PartialArgs();
  args.add(partial);
  return args.value;
}

/** Arguments that come piece by piece, each with the path of its place: `$.city`, `$.days[0]`. */
export class PartialArgs {
  readonly #root: { [name: string]: Draft } = {};
  /** The place whose text goes on. */
  #unfinished = "";

  add(pieces: readonly Json[]): void {
    for (const piece of pieces) if (isObject(piece)) this.#addPiece(piece);
  }

  get value(): JsonObject {
    return this.#root;
  }

  #addPiece(piece: JsonObject): void {
    const path = textOf(piece["jsonPath"]) ?? "";
    const steps = stepsOf(path);
    const value = scalarOf(piece);
    if (steps === undefined || value === undefined) return;
    put(this.#root, steps, value, this.#unfinished === path);
    this.#unfinished = piece["willContinue"] === true ? path : "";
  }
}

function scalarOf(piece: JsonObject): Scalar | undefined {
  if ("nullValue" in piece) return null;
  for (const name of ["stringValue", "numberValue", "boolValue"]) {
    const value = piece[name];
    if (value instanceof ExactNumber) return value;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      return value;
    }
  }
  return undefined;
}

/** `undefined` for a path that leads nowhere a value could be put. */
function stepsOf(path: string): readonly (string | number)[] | undefined {
  const steps: (string | number)[] = [];
  for (const [, name, index, quoted] of path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]/g)) {
    steps.push(index === undefined ? (name ?? quoted ?? "") : Number(index));
  }
  const isSound = steps.every((step) =>
    typeof step === "number" ? step <= MAX_INDEX : step !== "__proto__",
  );
  return isSound && steps.length > 0 && steps.length <= MAX_STEPS && typeof steps[0] === "string"
    ? steps
    : undefined;
}

function put(
  root: { [name: string]: Draft },
  steps: readonly (string | number)[],
  value: Scalar,
  goesOn: boolean,
): void {
  let at: Draft = root;
  for (const [depth, step] of steps.entries()) {
    const next = steps[depth + 1];
    const known = read(at, step);
    if (next === undefined) {
      const isText = typeof known === "string" && typeof value === "string";
      write(at, step, goesOn && isText ? known + value : value);
      return;
    }
    const inner: Draft = known ?? (typeof next === "number" ? [] : {});
    write(at, step, inner);
    at = inner;
  }
}

function read(from: Draft, step: string | number): Draft | undefined {
  if (Array.isArray(from)) return typeof step === "number" ? from[step] : undefined;
  if (typeof from !== "object" || from === null || from instanceof ExactNumber) return undefined;
  return Object.hasOwn(from, String(step)) ? from[String(step)] : undefined;
}

function write(to: Draft, step: string | number, value: Draft): void {
  if (Array.isArray(to)) {
    if (typeof step !== "number") return;
    while (to.length < step) to.push(null);
    to[step] = value;
  } else if (typeof to === "object" && to !== null && !(to instanceof ExactNumber)) {
    to[String(step)] = value;
  }
}
