import { Buffer } from "node:buffer";
import type { GatewayError } from "#core/error.ts";
import type { Tap, UpstreamError } from "#core/style.ts";
import type { Usage } from "#core/usage.ts";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { eventsIn, viewOf } from "#lib/sse-bytes.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { encodeError } from "#styles/text/chat/error.ts";
import { errorIn } from "#styles/text/chat/failure.ts";

/**
 * Events `speech.audio.*` and `transcript.text.*`; the final `done` event has the usage:
 * https://platform.openai.com/docs/api-reference/audio. Other servers stream transcripts as chat
 * completions, and end with `[DONE]`.
 */
export function openAudioTap(readUsage: (wire: Json | undefined) => Usage | undefined): Tap {
  return new AudioTap(readUsage);
}

const ENDS: ReadonlySet<string> = new Set(["speech.audio.done", "transcript.text.done"]);
const MAX_KEPT_CHARS = 1024 * 1024;

class AudioTap implements Tap {
  readonly #readUsage: (wire: Json | undefined) => Usage | undefined;
  #text = "";
  #hasDeltas = false;
  usage: Usage | undefined;
  error: UpstreamError | undefined;
  isEnding = false;
  hasContent = false;

  constructor(readUsage: (wire: Json | undefined) => Usage | undefined) {
    this.#readUsage = readUsage;
  }

  push(events: Uint8Array): Uint8Array | undefined {
    if (this.error !== undefined) return undefined;
    const kept: Buffer[] = [];
    for (const bytes of eventsIn(viewOf(events))) {
      for (const event of readEvents(bytes.toString())) this.#read(event.data);
      // An upstream's error event is not forwarded; the gateway writes its own.
      if (this.error !== undefined) break;
      kept.push(bytes);
    }
    return kept.length > 1 ? Buffer.concat(kept) : kept[0];
  }

  /** The upstream's end marker is forwarded, so none is added. */
  end(): Uint8Array | undefined {
    return undefined;
  }

  fail(error: GatewayError): string {
    return encodeError(error);
  }

  isComplete(): boolean {
    return this.isEnding && this.hasContent && this.error === undefined;
  }

  takeOutputText(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  #read(data: string): void {
    if (data.trim() === "[DONE]") this.isEnding = true;
    const json = parseJson(data);
    if (!isObject(json)) return;
    this.error = errorIn(json);
    if (this.error !== undefined) return;
    this.hasContent = true;
    this.usage = this.#readUsage(json["usage"]) ?? this.usage;
    this.#keep(json);
    if (ENDS.has(textOf(json["type"]) ?? "")) this.isEnding = true;
  }

  /** The last event repeats the text of the earlier ones. */
  #keep(json: JsonObject): void {
    const [choice] = listOf(json["choices"]);
    const delta = textOf(json["delta"]) ?? textOf(memberOf(memberOf(choice, "delta"), "content"));
    const said = delta ?? (this.#hasDeltas ? "" : textOf(json["text"])) ?? "";
    this.#hasDeltas ||= delta !== undefined;
    if (this.#text.length + said.length <= MAX_KEPT_CHARS) this.#text += said;
  }
}
