/** Texts by name that several gateways share for a while. */
export interface SharedReasoning {
  /**
   * The known ones of these names, of which the most important is first. Undefined if the store
   * does not answer in a short time.
   */
  find(names: readonly string[]): Promise<readonly SharedEntry[] | undefined>;
  /** No caller waits; a text that is too large, or that the store cannot take, is dropped. */
  keep(name: string, text: string, keepMs: number): void;
}

export interface SharedEntry {
  readonly name: string;
  readonly text: string;
  readonly leftMs: number;
}
