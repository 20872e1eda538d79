import { isArray, type Json } from "#lib/json.ts";
import { noAnswer } from "#styles/no-answer.ts";

/** Little-endian on every machine. */
export function toBase64(vector: Float32Array): string {
  const view = new DataView(new ArrayBuffer(vector.byteLength));
  vector.forEach((value, at) => view.setFloat32(at * 4, value, true));
  return Buffer.from(view.buffer).toString("base64");
}

/** A vector in either encoding. Throws `upstream_failed`. */
export function readVector(wire: Json | undefined): Float32Array {
  if (typeof wire === "string") return fromBase64(wire);
  if (isArray(wire) && wire.every((value) => typeof value === "number")) {
    return Float32Array.from(wire);
  }
  throw noAnswer("holds something that is no vector");
}

function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64");
  // The decoder skips invalid base64, so its result is too short.
  const isWhole = bytes.length === Math.floor((text.replace(/={1,2}$/, "").length * 3) / 4);
  if (!isWhole || bytes.length % 4 !== 0) throw noAnswer("holds something that is no vector");
  const vector = new Float32Array(bytes.length / 4);
  for (let at = 0; at < vector.length; at++) vector[at] = bytes.readFloatLE(at * 4);
  return vector;
}

/** Checks for one numeric vector per input, all of the same length. Throws `upstream_failed`. */
export function checkVectors(
  vectors: readonly Float32Array[],
  inputs: number,
): readonly Float32Array[] {
  if (vectors.length !== inputs) {
    throw noAnswer(`has ${vectors.length} vectors for ${inputs} inputs`);
  }
  const length = vectors[0]?.length ?? 0;
  if (length === 0 || vectors.some((vector) => vector.length !== length)) {
    throw noAnswer("has vectors of different lengths, or empty ones");
  }
  if (!vectors.every((vector) => vector.every(Number.isFinite))) {
    throw noAnswer("has vectors that do not consist of numbers");
  }
  return vectors;
}
