import { GatewayError } from "./error.ts";

/**
 * What a conversion could not carry. A field that only tunes is reported in
 * the journal and in the `sluice-lossy` header; a field that changes the
 * meaning of the result is refused. A strict caller gets a 400 for either.
 */
export class LossReport {
  readonly #fields = new Set<string>();

  lose(field: string): void {
    this.#fields.add(field);
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

/** For a field whose loss would change what the result means. */
export function refuse(field: string, why: string): GatewayError {
  return new GatewayError("not_carried", `'${field}' cannot be carried: ${why}`, { param: field });
}
