import type { FaultCode } from "#core/error.ts";
import type { TextStyle } from "#core/style.ts";
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
  /** Path that lists the models, in the shape of the vendor's text style. */
  readonly modelsPath?: string;

  authorize(secret: string): Readonly<Record<string, string>>;

  /**
   * Members of the outgoing body to set, or to leave out where the value is
   * `undefined`. Everything else goes out as the caller wrote it.
   */
  adaptRequest?(body: JsonObject): Readonly<Record<string, Json | undefined>>;
  /** Corrects the style's reading of an error. */
  classifyError?(status: number, body: string): FaultCode | undefined;
}

export interface TextEndpoint {
  readonly style: TextStyle;
  readonly path: string;
  /**
   * Whether its answers keep to the style closely enough to be passed on as
   * they are. Where not, they are read and written anew.
   */
  readonly isFaithful: boolean;
}

export function bearer(secret: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${secret}` };
}
