import type { LossReport } from "#core/lossy.ts";
import type { BodyEdits } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";

/** The loss of an edit: the name that the report shows, or nothing. */
type EditLoss = string | typeof NO_LOSS;

/** The edit changes nothing that the caller asked for. */
export const NO_LOSS = null;

/**
 * Collects the edits to an outgoing body, and reads the body as they leave it.
 * Each edit has to name its loss, which is reported here.
 */
export class BodyEditor {
  readonly #body: JsonObject;
  readonly #report: LossReport;
  /** Most bodies are sent as they came. */
  #edits: Record<string, Json | undefined> | undefined;

  constructor(body: JsonObject, report: LossReport) {
    this.#body = body;
    this.#report = report;
  }

  get(name: string): Json | undefined {
    const edits = this.#edits;
    return edits !== undefined && name in edits ? edits[name] : this.#body[name];
  }

  /** Neither absent nor null. */
  has(name: string): boolean {
    return (this.get(name) ?? undefined) !== undefined;
  }

  /** Those that are neither absent nor null; no list is made if there is nothing. */
  present(names: readonly string[]): readonly string[] {
    let present: string[] | undefined;
    for (const name of names) if (this.has(name)) (present ??= []).push(name);
    return present ?? NO_NAMES;
  }

  /** Members of the body as it came that are not among these; most bodies have none. */
  namesBeside(known: ReadonlySet<string>): readonly string[] {
    let beside: string[] | undefined;
    for (const name in this.#body) if (!known.has(name)) (beside ??= []).push(name);
    return beside ?? NO_NAMES;
  }

  set(name: string, value: Json, loss: EditLoss): void {
    (this.#edits ??= {})[name] = value;
    if (loss !== NO_LOSS) this.#report.lose(loss);
  }

  /** Nothing is lost of a member that is absent. */
  remove(name: string, loss: EditLoss): void {
    if (this.get(name) === undefined) return;
    (this.#edits ??= {})[name] = undefined;
    if (loss !== NO_LOSS) this.#report.lose(loss);
  }

  /** Removes members that the upstream refuses. Values that change nothing are not reported. */
  drop(names: readonly string[], isHarmless: (name: string, value: Json) => boolean): void {
    for (const name of names) {
      const value = this.get(name);
      if (value !== undefined) this.remove(name, isHarmless(name, value) ? NO_LOSS : name);
    }
  }

  /** Sets members of a builder that has reported its losses. */
  assign(members: BodyEdits): void {
    this.#edits = Object.assign(this.#edits ?? {}, members);
  }

  /** The body as it stands. */
  get current(): JsonObject {
    return { ...this.#body, ...this.#edits };
  }

  get edits(): BodyEdits {
    return this.#edits ?? NO_EDITS;
  }
}

const NO_EDITS: BodyEdits = {};

const NO_NAMES: readonly string[] = [];
