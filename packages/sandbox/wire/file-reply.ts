import { crc32 } from "node:zlib";
import type { VendorRequest } from "../vendor.ts";
import type { Reply } from "./reply.ts";

/** A file as object stores serve it: whole, in part or by its measures alone. */
export function fileReply(
  { method, headers }: Pick<VendorRequest, "method" | "headers">,
  file: Uint8Array,
  contentType: string,
): Reply {
  const etag = `"${crc32(file).toString(16).padStart(8, "0")}-${file.length}"`;
  const range = readRange(headers, file.length, etag);
  if (range === "outside") {
    return {
      status: 416,
      headers: { "content-range": `bytes */${file.length}` },
      body: { kind: "bytes", bytes: new Uint8Array(), tokens: 0 },
    };
  }
  const [from, to] = range ?? [0, file.length];
  return {
    status: range === undefined ? 200 : 206,
    headers: {
      "content-type": contentType,
      "accept-ranges": "bytes",
      etag,
      ...(range === undefined ? {} : { "content-range": `bytes ${from}-${to - 1}/${file.length}` }),
      "content-length": String(to - from),
    },
    body: {
      kind: "bytes",
      bytes: method === "HEAD" ? new Uint8Array() : file.subarray(from, to),
      tokens: 0,
    },
  };
}

/** One range, as bounds of which the second is outside; several, or one of another file, are not heard. */
function readRange(
  headers: VendorRequest["headers"],
  size: number,
  etag: string,
): readonly [number, number] | "outside" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(headers["range"] ?? "") ?? [];
  const condition = headers["if-range"];
  if ((first === "" && last === "") || (condition !== undefined && condition !== etag)) {
    return undefined;
  }
  if (first === "") return last === "0" ? "outside" : [Math.max(0, size - Number(last)), size];
  const to = last === "" ? size : Math.min(size, Number(last) + 1);
  if (last !== "" && Number(last) < Number(first)) return undefined;
  return Number(first) < size ? [Number(first), to] : "outside";
}
