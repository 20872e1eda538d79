import type { JsonObject } from "#lib/json.ts";
import type { AssetFailure, AssetStatus, AssetType } from "./asset.ts";

/** The wire format of a vendor's asset library: actions, each with a body and a result. Pure. */
export interface OutboundAssetFormat {
  readonly id: string;
  /** The query string of an action. */
  queryOf(action: string): string;
  /**
   * The result in a complete response. Throws the error that the response
   * reports, even with a success status. `upstream_failed` means that the
   * result of the action is unknown.
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
  readonly look: AssetAction<string, AssetUpdate>;
  readonly rename: AssetAction<Renamed, void>;
  readonly remove: AssetAction<string, void>;
  readonly beginSession: AssetAction<{ readonly callbackUrl: string }, BegunSession>;
  /**
   * The vendor's id of the group that it created for a verified person. The
   * vendor may return it only once.
   */
  readonly readSession: AssetAction<string, string>;
  /** The vendor's ids of its person groups, newest first. */
  readonly listPersons: AssetAction<{ readonly limit: number }, readonly Person[]>;
}

export interface AssetAction<Input, Output> {
  readonly action: string;
  /** Not repeatable: a retry creates a duplicate, or gets no result. */
  readonly isOnce?: true;
  build(input: Input): JsonObject;
  /** Throws `upstream_failed` if the result lacks a required field. */
  parse(result: JsonObject): Output;
}

interface Renamed {
  readonly upstreamId: string;
  readonly name: string;
}

interface NewAsset {
  /** The vendor's id. */
  readonly groupId: string;
  readonly url: string;
  readonly type: AssetType;
  readonly name: string;
}

export interface AssetUpdate {
  readonly status: AssetStatus;
  readonly failure?: AssetFailure;
  /** Without its expiry, which only the vendor's documentation states. */
  readonly url?: string;
}

interface BegunSession {
  /** The vendor's token. */
  readonly token: string;
  /** The link that the person opens. */
  readonly link: string;
}

interface Person {
  readonly upstreamId: string;
  /** Unix ms. */
  readonly createdAt: number;
}
