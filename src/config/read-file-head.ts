import { closeSync, openSync, readSync } from "node:fs";

/** Reads at most `maxBytes` from the start of a file; `undefined` if it does not exist. */
export function readFileHead(path: string, maxBytes: number): Uint8Array | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw cause;
  }
  try {
    const bytes = new Uint8Array(maxBytes);
    let length = 0;
    while (length < maxBytes) {
      const read = readSync(file, bytes, length, maxBytes - length, null);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
