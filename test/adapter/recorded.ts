import { isObject, type JsonObject } from "#lib/json.ts";
import { readLines, readShared } from "#test/shared.ts";

/** A recorded answer of a vendor. */
interface Recorded {
  readonly file: string;
  readonly status: number;
  readonly request: JsonObject;
  readonly body: JsonObject | undefined;
  readonly sse: string | undefined;
  /** A stream in a binary format. */
  readonly bytes: Uint8Array | undefined;
}

export function readRecorded(endpoint: string): readonly Recorded[] {
  return readLines("corpus/index.jsonl")
    .filter((line) => line["endpoint"] === endpoint)
    .map((line) => line["file"])
    .filter((file) => typeof file === "string")
    .map((file) => {
      const { request, response } = readShared(`corpus/${file}`);
      const asked = isObject(request) ? request["body"] : undefined;
      const { status, body, sse, base64 } = isObject(response) ? response : {};
      return {
        file,
        status: Number(status),
        request: isObject(asked) ? asked : {},
        body: isObject(body) ? body : undefined,
        sse: typeof sse === "string" ? sse : undefined,
        bytes: typeof base64 === "string" ? Buffer.from(base64, "base64") : undefined,
      };
    });
}
