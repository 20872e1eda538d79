import type { FinishReason } from "#core/chat.ts";
import type { AnswerEnd, InboundStyle } from "#core/style.ts";
import { isObject, parseJson } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";

/** The events at the end of a stream: the reason, the usage and the end mark. */
const MAX_LAST = 4;
/** Choices may end long before the stream does. */
const MAX_ENDS = 128;
/** Longer parts hold pictures or whole books. */
const MAX_BYTES = 1024 * 1024;
const FINISH = "finish";

type Piece = Uint8Array | string;

/** The parts of an answer that name its id, and the reasons of its end. */
export class AnswerParts {
  readonly #hasChoices: boolean;
  #first: Piece | undefined;
  readonly #ends: Piece[] = [];
  #last: Piece[] = [];

  /** `choices`: their number in the answer. */
  constructor(choices: number) {
    this.#hasChoices = choices > 1;
  }

  /** Takes the next piece of a stream: whole events. */
  add(piece: Piece): void {
    if (piece.length > MAX_BYTES) return;
    // A copy: the bytes are lent.
    const kept = typeof piece === "string" ? piece : Buffer.from(piece);
    if (this.#first === undefined) this.#first = kept;
    else if (this.#hasChoices && kept.includes(FINISH) && this.#ends.length < MAX_ENDS) {
      this.#ends.push(kept);
    } else {
      if (this.#last.length === MAX_LAST) this.#last.shift();
      this.#last.push(kept);
    }
  }

  /** Takes a complete answer. */
  setWhole(body: Piece): void {
    if (body.length <= MAX_BYTES) this.#first = body;
  }

  /** The first id and all reasons of the kept parts. Parts that cannot be read are skipped. */
  read(style: Pick<InboundStyle, "readEnd">): AnswerEnd {
    const { parts } = this;
    let id: string | undefined;
    const reasons: FinishReason[] = [];
    for (const part of parts) {
      for (const text of documentsIn(part)) {
        const json = parseJson(text);
        if (!isObject(json)) continue;
        try {
          const end = style.readEnd?.(json);
          id ??= end?.id;
          reasons.push(...(end?.reasons ?? []));
        } catch {
          // It reports a failure, which the record of the call has.
        }
      }
    }
    return { id, reasons };
  }

  get parts(): readonly Piece[] {
    const first = this.#first === undefined ? [] : [this.#first];
    return [...first, ...this.#ends, ...this.#last];
  }
}

function documentsIn(part: Piece): readonly string[] {
  const text = typeof part === "string" ? part : Buffer.from(part).toString();
  return text.startsWith("{") ? [text] : readEvents(text).map(({ data }) => data);
}
