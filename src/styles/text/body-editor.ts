import type { BodyEdits } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";

/** Collects the edits to an outgoing body, and reads the body as they leave it. */
export class BodyEditor {
  readonly #body: JsonObject;
  readonly #edits: Record<string, Json | undefined> = {};

  constructor(body: JsonObject) {
    this.#body = body;
  }

  get(name: string): Json | undefined {
    return name in this.#edits ? this.#edits[name] : this.#body[name];
  }

  /** Neither absent nor null. */
  has(name: string): boolean {
    return (this.get(name) ?? undefined) !== undefined;
  }

  /** Members of the body as it came that are not among these; most bodies have none. */
  namesBeside(known: ReadonlySet<string>): readonly string[] {
    let beside: string[] | undefined;
    for (const name in this.#body) if (!known.has(name)) (beside ??= []).push(name);
    return beside ?? NO_NAMES;
  }

  set(name: string, value: Json): void {
    this.#edits[name] = value;
  }

  remove(name: string): void {
    if (this.get(name) !== undefined) this.#edits[name] = undefined;
  }

  assign(members: BodyEdits): void {
    Object.assign(this.#edits, members);
  }

  /** The body as it stands. */
  get current(): JsonObject {
    return { ...this.#body, ...this.#edits };
  }

  get edits(): BodyEdits {
    return this.#edits;
  }
}

const NO_NAMES: readonly string[] = [];
