import type { BalanceEndpoint } from "./balances.ts";
import type { FoundModel } from "#core/found-model.ts";
import type { OutboundAssetFormat } from "#core/asset-format.ts";
import type { Authorize, HeaderFields, TokenExchange } from "#core/authorize.ts";
import type { Channel, ChannelOptions } from "#core/channel.ts";
import type { ChatEvent, ChatRequest, MediaBlock } from "#core/chat.ts";
import type { ImageRequest, Images, OutboundImageFormat } from "#core/image.ts";
import type { LossReport } from "#core/lossy.ts";
import type { ModelTraits, RequestRules } from "#core/model.ts";
import type { EmbeddingRequest, Embeddings } from "#core/embedding.ts";
import type { OutboundFormat, OperationRequest, OperationResult } from "#core/operation.ts";
import type { Ranking, RerankRequest } from "#core/rerank.ts";
import type { OutboundVideoFormat, TaskRef, VideoMedia, VideoRequest } from "#core/video.ts";
import type { SharedFormat, SharedRequest } from "#core/shared-format.ts";
import type { BodyEdits, OutboundStyle, Passthrough } from "#core/style.ts";
import type { SentForm } from "#lib/form.ts";
import type { Json, JsonObject } from "#lib/json.ts";

/** One vendor: its address, authentication, endpoints and quirks. Only the quirks are code. */
export interface Provider {
  /** Stored in databases and files: never change a released id. */
  readonly id: string;
  readonly name: string;
  /** Further prefixes that clients put before a model's name and a slash; the id always is one. */
  readonly prefixes?: readonly string[];
  readonly docs: string;
  /** Undefined if the vendor has no address of its own. */
  readonly baseUrl?: string;
  /** Its address, if that depends on the channel's options. */
  baseUrlOf?(options: ChannelOptions): string;
  /**
   * Environment variable that is enough to create a channel. Local servers are not assumed to run.
   */
  readonly keyVariable?: string;
  /** Whether a channel needs a credential. */
  readonly needsKey: boolean;
  /** Runs on the operator's machines: no vendor's price applies to its models. */
  readonly isLocal?: true;
  readonly text: readonly TextEndpoint[];
  /**
   * Calls that need a certain style on channels with these options; overrides the rules of the
   * model.
   */
  needsStyle?(options: ChannelOptions): RequestRules["needsStyle"];
  readonly embeddings?: readonly EmbeddingEndpoint[];
  readonly rerank?: readonly OperationEndpoint<RerankRequest, Ranking>[];
  readonly images?: readonly ImageEndpoint[];
  readonly videos?: readonly VideoEndpoint[];
  readonly shared?: readonly SharedEndpoint[];
  /** The vendor stores assets, and tasks may refer to them. */
  readonly assets?: AssetService;
  /** Calls a vendor whose API is none of the styles; such a provider has no endpoints. */
  readonly adapter?: TextAdapter;
  /** Required and optional `options` of a channel; undefined allows none. */
  readonly options?: ProviderOptions;
  /** The vendor publishes no usable model list, so each channel must name its models. */
  readonly needsModels?: true;
  /** Path that lists the models; undefined if the vendor has no list. */
  readonly modelsPath?: string;
  /** Known models beside the catalog's, with or without a model list. */
  readonly models?: readonly string[];
  /** Parses that list; undefined if it has the usual form (`styles/model-list/item-in.ts`). */
  readModels?(list: Json): readonly FoundModel[];
  /** Undefined if the vendor shows no balance to API keys. */
  readonly balance?: BalanceEndpoint;
  /** Headers of every request besides the credential's, such as an API version. */
  readonly headers?: Readonly<Record<string, string>>;

  readonly authorize: Authorize;
  /** For credentials that are exchanged for a token first; `authorize` then gets the token. */
  readonly exchange?: TokenExchange;
  /** The region in a channel's address, if prices differ by region. */
  regionOf?(channel: Pick<Channel, "baseUrl" | "options">): string | undefined;
  /** The catalog's id of a model, if the vendor's id differs from the maker's. */
  knownAs?(model: string): string;
}

export interface TextEndpoint {
  readonly style: OutboundStyle & { readonly passthrough?: Passthrough };
  /** Relative to the channel's address; some vendors put the model in it. */
  readonly path: string | ((model: string, stream: boolean, options: ChannelOptions) => string);
  /** Another path for bodies that the default one refuses; `undefined` for other bodies. */
  pathFor?(body: JsonObject): string | undefined;
  /** The vendor's models that it serves; undefined means all. */
  serves?(model: string): boolean;
  /**
   * Whether its responses follow the style closely enough to be passed through unchanged. Otherwise
   * they are parsed and rewritten.
   */
  readonly isFaithful: boolean;
  /** Models that refuse non-streaming requests: the gateway collects their streams. */
  streamsOnly?(model: string): boolean;
  /**
   * Linked media that the vendor does not download; the gateway downloads them and sends them
   * inline.
   */
  readonly inlines?: readonly MediaBlock["type"][];
  /** The vendor's deviations from the style, in the terms of that style. */
  readonly dialect?: Readonly<Record<string, unknown>>;
  /**
   * Members of the outgoing body to set; the value `undefined` removes one. All other members stay.
   * It also runs on passthrough bodies, so it must not change anything that the vendor accepts.
   * `report`: records the losses.
   */
  adaptRequest?(
    body: JsonObject,
    model: string,
    report?: LossReport,
    context?: RequestContext,
  ): BodyEdits;
  /**
   * Whether a refusal of a request with these headers also applies to other requests. A client that
   * asked for stricter validation teaches nothing about others.
   */
  refusesForAll?(headers: Readonly<Record<string, string>>): boolean;
  /** Few servers have it: it serves channels whose style or options select it. */
  isOffered?(options: ChannelOptions): boolean;
  /** Headers that depend on the body, or that a client of the same style may set. */
  headers?(
    body: JsonObject,
    ofCaller: ReadHeader,
    context?: RequestContext,
  ): Readonly<Record<string, string>>;
}

/** A vendor's endpoint for one kind of operation, and its format. */
export interface OperationEndpoint<Q extends OperationRequest, A extends OperationResult> {
  readonly style: OutboundFormat<Q, A, JsonObject | SentForm>;
  readonly path: TextEndpoint["path"];
  /** The vendor's models that it serves; undefined means all. */
  serves?(model: string): boolean;
  /** The requests that it supports; undefined means all. */
  answers?(question: Q): boolean;
  /** Maximum number of inputs or results of one request; larger requests are split. */
  readonly maxInputs: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Its result comes later: the polling interval and path. */
  readonly pending?: {
    readonly everyMs: number;
    /** Relative to the channel's address. */
    path(id: string): string;
  };
  /** The vendor's deviations from the format, in the terms of that format. */
  readonly dialect?: Readonly<Record<string, unknown>>;
}

/** A vendor's endpoint whose format clients share, so that requests are forwarded. */
export interface SharedEndpoint {
  readonly style: SharedFormat;
  readonly path: TextEndpoint["path"];
  /** The vendor's models that it serves; undefined means all. */
  serves?(model: string): boolean;
  /** The requests that it supports; undefined means all. */
  answers?(question: SharedRequest): boolean;
  /** Fields that it does not support and that have no effect on the response. */
  readonly omits?: readonly string[];
}

export interface ImageEndpoint extends OperationEndpoint<ImageRequest, Images> {
  readonly style: OutboundImageFormat;
  /** Requirements for input images. */
  readonly pictures: PictureTerms;
  /** Output format if the client names none; undefined leaves the vendor's. */
  readonly format?: "png";
  /** Its models serve this endpoint only: they get no text requests. */
  readonly isExclusive?: boolean;
}

/** A vendor's endpoint for videos as tasks: submit, poll and download. */
export interface VideoEndpoint {
  readonly style: OutboundVideoFormat;
  /** The vendor's models that it serves; undefined means all. */
  serves?(model: string): boolean;
  /** The requests that it supports; undefined means all. */
  answers?(question: VideoRequest): boolean;
  /** Its models serve this endpoint only: they get no text requests. */
  readonly isExclusive?: boolean;
  /** Maximum number of videos of one task. */
  readonly maxCount: number;
  /** Relative to the channel's address, as all paths here. */
  readonly path: (model: string, question: VideoRequest, options: ChannelOptions) => string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly poll: TaskPoll;
  /** Finds a task by the gateway's own id; undefined if the vendor stores no such id. */
  readonly find?: TaskPoll;
  /** Cancels a task that has not started; undefined if the vendor cannot. */
  readonly cancel?: Pick<TaskPoll, "path" | "body"> & { readonly method: "POST" | "DELETE" };
  /**
   * Path of a video's bytes relative to the channel's address, for vendors without public result
   * links.
   */
  content?(task: TaskRef, variant: "video" | "thumbnail" | "spritesheet"): string | undefined;
  /** Result links at the vendor's own address need the credential. */
  readonly linksNeedKey?: true;
  /** The vendor's deviations from the format, in the terms of that format. */
  readonly dialect?: Readonly<Record<string, unknown>>;
  readonly media: MediaTerms;
  /** A task that is older has ended, independent of the vendor's status. */
  readonly deadlineMs: number;
  /** Lifetime of result links if the response does not contain it. */
  readonly linksLastMs?: number;
  /** Parses the vendor's webhooks; undefined if it sends none. */
  readonly webhooks?: VendorWebhookTerms;
}

/**
 * A vendor's asset library, which may have an address and a credential other than those of its
 * models.
 */
export interface AssetService {
  readonly style: OutboundAssetFormat;
  /** Undefined if the address cannot be derived. */
  urlOf(channel: Pick<Channel, "baseUrl" | "options">): string | undefined;
  /** Members that every body includes. */
  membersOf(options: ChannelOptions): JsonObject;
  /** Whether a credential also gives access to the library. */
  hasKey(secret: string): boolean;
  readonly authorize: Authorize;
  /** Lifetime of asset links. */
  readonly linksLastMs: number;
}

/** A request that polls a task. */
export interface TaskPoll {
  readonly method: "GET" | "POST";
  path(task: TaskRef): string;
  body?(task: TaskRef): JsonObject;
  /**
   * Path of a second response, relative to the channel's address, for vendors that split the
   * result. Its members are merged with those of the first.
   */
  restOf?(answer: JsonObject): string | undefined;
  /** A response with an error status may describe the failed task instead of a failed poll. */
  readonly readsFailures?: true;
}

export interface MediaTerms {
  /** Kinds of media whose links the vendor does not download: they are sent inline. */
  readonly inlines: readonly VideoMedia["type"][];
  /** Supported media types of images; others are converted to PNG. */
  readonly types: readonly string[];
}

export interface VendorWebhookTerms {
  /**
   * The secret that signs webhooks, as in https://www.standardwebhooks.com, if the channel's
   * credential contains it. Undefined if the vendor never signs.
   */
  secretIn?(credential: string): string | undefined;
  /** The vendor's task id in a webhook. */
  idIn(body: JsonObject): string | undefined;
}

export interface PictureTerms {
  /** The vendor downloads no links: images are sent inline. */
  readonly inlines: boolean;
  /** Media types; other images are converted to PNG. */
  readonly types: readonly string[];
}

export type EmbeddingEndpoint = OperationEndpoint<EmbeddingRequest, Embeddings>;

/** A vendor that is called through a client library. */
export interface TextAdapter {
  /** Sends the request and parses the response as it arrives. Throws `GatewayError` only. */
  answer(request: ChatRequest, way: AdapterWay): AsyncIterable<ChatEvent>;
}

/** The dependencies of an adapter for one call. */
export interface AdapterWay {
  /** Empty for the vendor's own address. */
  readonly baseUrl: string;
  readonly options: ChannelOptions;
  readonly traits: ModelTraits;
  readonly report: LossReport;
  /** The client prefers a refusal to a lost field. */
  readonly isStrict: boolean;
  /**
   * The only way to send a request. It throws the gateway's errors: for an upstream error, a passed
   * deadline, and a disconnected client.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * Stands for the credential in header values and in the query; it is replaced when the request is
   * sent.
   */
  readonly placeholder: string;
}

export interface ProviderOptions {
  /** Descriptions by name. */
  readonly required?: Readonly<Record<string, string>>;
  readonly optional?: Readonly<Record<string, string>>;
  /** Further options are passed to the library. */
  readonly isOpen?: true;
  /** Error messages for invalid options, by name. */
  optionProblems?(options: ChannelOptions): Readonly<Record<string, string>>;
}

/** Reads a header of the client's request. */
export interface ReadHeader {
  (name: string): string | undefined;
  /** Names of all its headers, in lower case. */
  readonly names?: () => Iterable<string>;
}

/** The destination of a request, and the client's input besides the body. */
export interface RequestContext {
  readonly options: ChannelOptions;
  /** Sent to the vendor's well-known address. */
  readonly isVendors: boolean;
  readonly ofCaller: ReadHeader;
}

export const bearer = secretIn("authorization", "Bearer ");

/** Sends the secret in a header. */
export function secretIn(
  name: string,
  prefix = "",
): ((secret: string) => HeaderFields) & Pick<Authorize, "isConstant"> {
  const authorize = (secret: string): HeaderFields => ({ [name]: `${prefix}${secret}` });
  return Object.assign(authorize, { isConstant: true as const });
}

/** The settings of a channel, for validation and documents. */
export function requirementsOf(provider: Provider) {
  const { id, needsKey, needsModels, baseUrl, baseUrlOf, adapter, text, options } = provider;
  return {
    id,
    needsKey,
    ...(provider.keyVariable === undefined ? {} : { keyVariable: provider.keyVariable }),
    needsBaseUrl: baseUrl === undefined && baseUrlOf === undefined && adapter === undefined,
    needsModels: needsModels === true,
    styles: text.map(({ style }) => style.id),
    options: options ?? {},
  };
}
