import type { FaultCode } from "#core/error.ts";
import type { BodyEdits, OutboundStyle, Passthrough } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";

/** One vendor: where it is, how it is addressed, and its quirks. Data, but for the quirks. */
export interface Provider {
  /** Stored in databases and files: never change one that has shipped. */
  readonly id: string;
  readonly name: string;
  readonly docs: string;
  /** Absent where there is no such thing as the vendor's own address. */
  readonly baseUrl?: string;
  /** Variable that alone makes a channel; local servers are not assumed to run. */
  readonly keyVariable?: string;
  /** Whether a channel makes sense without a credential. */
  readonly needsKey: boolean;
  /** Runs on the owner's machines: nobody else's price applies to its models. */
  readonly isLocal?: true;
  readonly text: readonly TextEndpoint[];
  /** Path that lists the models; absent where the vendor has no list. */
  readonly modelsPath?: string;
  /** Their ids out of that list; `data[].id` where nothing else is said. */
  readModels?(list: Json): readonly string[];
  /** Headers of every request beside the credential's, such as the version of an interface. */
  readonly headers?: Readonly<Record<string, string>>;

  authorize(secret: string): Readonly<Record<string, string>>;
  /** Corrects the style's reading of an error. */
  classifyError?(status: number, body: string): FaultCode | undefined;
}

export interface TextEndpoint {
  readonly style: OutboundStyle & { readonly passthrough?: Passthrough };
  /** Below the channel's address; some vendors name the model in it. */
  readonly path: string | ((model: string, stream: boolean) => string);
  /**
   * Whether its answers keep to the style closely enough to be passed on as
   * they are. Where not, they are read and written anew.
   */
  readonly isFaithful: boolean;
  /** In which ways the vendor's reading of the style is its own, in that style's terms. */
  readonly dialect?: Readonly<Record<string, unknown>>;
  /**
   * Members of the outgoing body to set, or to leave out where the value is
   * `undefined`. Everything else goes out as it is. Also runs on bodies that
   * pass through, so it must leave alone what the vendor takes.
   */
  adaptRequest?(body: JsonObject, model: string): BodyEdits;
  /** Headers that depend on the body, or that a caller of the same style may choose. */
  headers?(body: JsonObject, ofCaller: ReadHeader): Readonly<Record<string, string>>;
}

export type ReadHeader = (name: string) => string | undefined;

export function bearer(secret: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${secret}` };
}
