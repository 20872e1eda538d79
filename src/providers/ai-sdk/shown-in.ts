import { Buffer } from "node:buffer";
import { isMembers, type Members } from "./unknown.ts";

/** A picture or a sound of the answer. */
interface Shown {
  readonly type: "image" | "audio";
  readonly mediaType: string;
  readonly base64: string;
}

/** Undefined for files of other kinds, which no style of ours answers with. */
export function readShown({ mediaType, data }: Members): Shown | undefined {
  // Since its fourth version the shared interface says what kind of data it is.
  const base64 = base64Of(isMembers(data) && "data" in data ? data["data"] : data);
  if (typeof mediaType !== "string" || base64 === undefined) return undefined;
  const [type] = mediaType.split("/");
  return type === "image" || type === "audio" ? { type, mediaType, base64 } : undefined;
}

function base64Of(data: unknown): string | undefined {
  if (typeof data === "string") return data;
  return data instanceof Uint8Array ? Buffer.from(data).toString("base64") : undefined;
}
