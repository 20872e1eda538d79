import type { Extra } from "./chat.ts";
import { GatewayError } from "./error.ts";

/**
 * What a conversion could not carry. A field that only tunes is reported in
 * the journal and in the `sluice-lossy` header; a field that changes the
 * meaning of the result is refused. A strict caller gets a 400 for either.
 */
export class LossReport {
  readonly #fields = new Set<string>();

  /** Callers name some of them: neither a name nor the list grows with what they send. */
  lose(field: string): void {
    if (this.#fields.size < MAX_FIELDS) this.#fields.add(field.slice(0, MAX_LENGTH));
  }

  /**
   * Reports members that belong to other styles than the one written now, and
   * refuses those without which the answer would be to another question.
   */
  loseForeign(extra: Extra | undefined, style: string, path = ""): void {
    for (const [owner, members] of Object.entries(extra ?? {})) {
      if (owner === style) continue;
      for (const name of Object.keys(members)) {
        const why = VITAL.get(`${owner}.${name}`);
        if (why !== undefined) throw refuse(name, why);
        this.lose(path + name);
      }
    }
  }

  get fields(): readonly string[] {
    return [...this.#fields];
  }

  /** Throws what a caller who sent `sluice-strict: true` is answered. */
  refuseIfAny(): void {
    const [first] = this.#fields;
    if (first === undefined) return;
    const list = this.fields.map((field) => `'${field}'`).join(", ");
    throw new GatewayError("not_carried", `No upstream of this model can carry ${list}.`, {
      param: first,
    });
  }
}

const MAX_FIELDS = 100;
const MAX_LENGTH = 200;

const COMPUTER = "only the upstreams of the responses style speak of a computer's screen.";

const ELEMENTS =
  "no upstream of this model knows characters and voices that a vendor keeps by name.";
const MASKS = "no upstream of this model can be told what of a picture is to move.";
const SHOTS = "no upstream of this model makes one video of several prompts.";

/** Members of a style whose loss would change what the result means, and why no other style has them. */
const VITAL: ReadonlyMap<string, string> = new Map([
  [
    "messages.mcp_servers",
    "only the upstreams of the messages style reach tool servers themselves.",
  ],
  ["messages.container", "only the upstreams of the messages style keep containers."],
  ["responses.prompt", "a stored prompt can only be read by the vendor that keeps it."],
  ["responses.conversation", "a stored conversation can only be read by the vendor that keeps it."],
  [
    "responses.tools.file_search",
    "stored files can only be searched by the vendor that keeps them.",
  ],
  [
    "responses.tools.mcp",
    "only the upstreams of the responses style reach tool servers themselves.",
  ],
  ["responses.tools.code_interpreter", "only the upstreams of the responses style run code."],
  ["responses.tools.computer", COMPUTER],
  ["responses.tools.computer_use_preview", COMPUTER],
  ["gemini.cachedContent", "cached content can only be read by the vendor that keeps it."],
  ["video-kling.element_list", ELEMENTS],
  ["video-kling.voice_list", ELEMENTS],
  ["video-kling.static_mask", MASKS],
  ["video-kling.dynamic_masks", MASKS],
  ["video-kling.multi_prompt", SHOTS],
  ["video-kling3.contents", ELEMENTS],
  ["video-vidu.subjects", ELEMENTS],
]);

/** For a field whose loss would change what the result means. */
export function refuse(field: string, why: string): GatewayError {
  return new GatewayError("not_carried", `'${field}' cannot be carried: ${why}`, { param: field });
}
