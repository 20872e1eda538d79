import type { JsonObject } from "#lib/json.ts";
import type { AssetFailure, AssetStatus, AssetType } from "./asset.ts";

/** How a vendor's library is spoken to: by actions, each with a body and a result. Pure. */
export interface OutboundAssetFormat {
  readonly id: string;
  /** What a request for an action has behind the address. */
  queryOf(action: string): string;
  /**
   * The result in a whole answer. Throws what the answer says of a failure,
   * whatever its status: vendors tell of some with a success. `upstream_failed`
   * means that nobody knows what became of the action.
   */
  readResult(status: number, text: string): JsonObject;
  /** The vendor's id of the group. */
  readonly createGroup: AssetAction<
    { readonly name: string; readonly description: string },
    string
  >;
  readonly renameGroup: AssetAction<Renamed, void>;
  /** The vendor's id of the asset. */
  readonly create: AssetAction<NewAsset, string>;
  readonly look: AssetAction<string, AssetNews>;
  readonly rename: AssetAction<Renamed, void>;
  readonly remove: AssetAction<string, void>;
  readonly beginSession: AssetAction<{ readonly callbackUrl: string }, BegunSession>;
  /** The vendor's id of the group that it made for who passed, which it may tell only once. */
  readonly readSession: AssetAction<string, string>;
  /** The vendor's ids of its groups of persons, the newest first. */
  readonly listPersons: AssetAction<{ readonly limit: number }, readonly Person[]>;
}

export interface AssetAction<Input, Output> {
  readonly action: string;
  /** Asked for twice, it makes two, or is answered only once. */
  readonly isOnce?: true;
  build(input: Input): JsonObject;
  /** Throws `upstream_failed` where the result lacks what it must hold. */
  parse(result: JsonObject): Output;
}

interface Renamed {
  readonly upstreamId: string;
  readonly name: string;
}

interface NewAsset {
  /** The vendor's. */
  readonly groupId: string;
  readonly url: string;
  readonly type: AssetType;
  readonly name: string;
}

export interface AssetNews {
  readonly status: AssetStatus;
  readonly failure?: AssetFailure;
  /** Without the time of its end, which only the vendor's documents tell. */
  readonly url?: string;
}

interface BegunSession {
  /** The vendor's. */
  readonly token: string;
  /** For the person to open. */
  readonly link: string;
}

interface Person {
  readonly upstreamId: string;
  /** Unix ms. */
  readonly createdAt: number;
}
