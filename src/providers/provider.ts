import type { FoundModel } from "#core/found-model.ts";
import type { OutboundAssetFormat } from "#core/asset-format.ts";
import type { Authorize, TokenExchange } from "#core/authorize.ts";
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

/** One vendor: where it is, how it is addressed, and its quirks. Data, but for the quirks. */
export interface Provider {
  /** Stored in databases and files: never change one that has shipped. */
  readonly id: string;
  readonly name: string;
  /** Further names of the vendor that callers put before a model's name and a slash; the id is one anyway. */
  readonly prefixes?: readonly string[];
  readonly docs: string;
  /** Absent where there is no such thing as the vendor's own address. */
  readonly baseUrl?: string;
  /** Its own address where that depends on the channel's options. */
  baseUrlOf?(options: ChannelOptions): string;
  /** Variable that alone makes a channel; local servers are not assumed to run. */
  readonly keyVariable?: string;
  /** Whether a channel makes sense without a credential. */
  readonly needsKey: boolean;
  /** Runs on the owner's machines: nobody else's price applies to its models. */
  readonly isLocal?: true;
  readonly text: readonly TextEndpoint[];
  /** Which calls go in which style on channels with these options, whatever the model; over the model's own rules. */
  needsStyle?(options: ChannelOptions): RequestRules["needsStyle"];
  readonly embeddings?: readonly EmbeddingEndpoint[];
  readonly rerank?: readonly OperationEndpoint<RerankRequest, Ranking>[];
  readonly images?: readonly ImageEndpoint[];
  readonly videos?: readonly VideoEndpoint[];
  readonly shared?: readonly SharedEndpoint[];
  /** The vendor keeps assets, and tasks may refer to them. */
  readonly assets?: AssetService;
  /** Speaks to the vendor where none of the styles is spoken; such a provider has no endpoints. */
  readonly adapter?: TextAdapter;
  /** What a channel has to say, or may say, in its `options`; none may be given where absent. */
  readonly options?: ProviderOptions;
  /** Nobody says which models it has, so that each channel must. */
  readonly needsModels?: true;
  /** Path that lists the models; absent where the vendor has no list. */
  readonly modelsPath?: string;
  /** Those that it is known to have beside the catalogue's, whether or not it has a list. */
  readonly models?: readonly string[];
  /** What that list tells of them; absent if it has the usual form (`styles/model-list/item-in.ts`). */
  readModels?(list: Json): readonly FoundModel[];
  /** Headers of every request beside the credential's, such as the version of an interface. */
  readonly headers?: Readonly<Record<string, string>>;

  readonly authorize: Authorize;
  /** For credentials that are traded for a token first, which `authorize` is then given instead. */
  readonly exchange?: TokenExchange;
  /** The region that a channel's address names, if prices differ by it. */
  regionOf?(channel: Pick<Channel, "baseUrl" | "options">): string | undefined;
  /** By which id the catalogue knows a model, where the vendor's differs from its maker's. */
  knownAs?(model: string): string;
}

export interface TextEndpoint {
  readonly style: OutboundStyle & { readonly passthrough?: Passthrough };
  /** Below the channel's address; some vendors name the model in it. */
  readonly path: string | ((model: string, stream: boolean, options: ChannelOptions) => string);
  /** Another path, for bodies that the usual one refuses; `undefined` for the other bodies. */
  pathFor?(body: JsonObject): string | undefined;
  /** Which of the vendor's models it serves; all of them where absent. */
  serves?(model: string): boolean;
  /**
   * Whether its answers keep to the style closely enough to be passed on as
   * they are. Where not, they are read and written anew.
   */
  readonly isFaithful: boolean;
  /** Models that refuse to answer whole: their streams are gathered. */
  streamsOnly?(model: string): boolean;
  /** Linked media that the vendor does not fetch by itself; what is behind such links is sent instead. */
  readonly inlines?: readonly MediaBlock["type"][];
  /** In which ways the vendor's reading of the style is its own, in that style's terms. */
  readonly dialect?: Readonly<Record<string, unknown>>;
  /**
   * Members of the outgoing body to set, or to leave out where the value is
   * `undefined`. Everything else goes out as it is. Also runs on bodies that
   * pass through, so it must leave alone what the vendor takes. `report`: what
   * is lost by it.
   */
  adaptRequest?(
    body: JsonObject,
    model: string,
    report?: LossReport,
    context?: RequestContext,
  ): BodyEdits;
  /**
   * Whether what the vendor refuses of a request with these headers it refuses
   * of others too: nothing is learned from a caller who asked for stricter rules.
   */
  refusesForAll?(headers: Readonly<Record<string, string>>): boolean;
  /** Few servers have it: it is for channels that name its style, or whose options say so. */
  isOffered?(options: ChannelOptions): boolean;
  /** Headers that depend on the body, or that a caller of the same style may choose. */
  headers?(
    body: JsonObject,
    ofCaller: ReadHeader,
    context?: RequestContext,
  ): Readonly<Record<string, string>>;
}

/** Where a vendor answers questions of one kind, and in which format. */
export interface OperationEndpoint<Q extends OperationRequest, A extends OperationResult> {
  readonly style: OutboundFormat<Q, A, JsonObject | SentForm>;
  readonly path: TextEndpoint["path"];
  /** Which of the vendor's models it serves; all of them where absent. */
  serves?(model: string): boolean;
  /** Which of the questions it answers; all of them where absent. */
  answers?(question: Q): boolean;
  /** Inputs that one request may hold, or results that it may ask for; larger questions are asked in parts. */
  readonly maxInputs: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Its answer comes later: how often to look for it, and where. */
  readonly pending?: {
    readonly everyMs: number;
    /** Below the channel's address. */
    path(id: string): string;
  };
  /** In which ways the vendor's reading of the format is its own, in that format's terms. */
  readonly dialect?: Readonly<Record<string, unknown>>;
}

/** Where a vendor answers in a format that callers share with it. */
export interface SharedEndpoint {
  readonly style: SharedFormat;
  readonly path: TextEndpoint["path"];
  /** Which of the vendor's models it serves; all of them where absent. */
  serves?(model: string): boolean;
  /** Which of the questions it answers; all of them where absent. */
  answers?(question: SharedRequest): boolean;
  /** Fields that it does not know, and whose absence changes nothing about its answer. */
  readonly omits?: readonly string[];
}

export interface ImageEndpoint extends OperationEndpoint<ImageRequest, Images> {
  readonly style: OutboundImageFormat;
  /** What given pictures must be for it. */
  readonly pictures: PictureTerms;
  /** What its pictures are handed over as to callers who do not say; as they come, where absent. */
  readonly format?: "png";
  /** The models that it serves answer nothing but this endpoint: no text is asked of them. */
  readonly isExclusive?: boolean;
}

/** Where a vendor makes videos, in tasks: how one is asked for, looked at and fetched. */
export interface VideoEndpoint {
  readonly style: OutboundVideoFormat;
  /** Which of the vendor's models it serves; all of them where absent. */
  serves?(model: string): boolean;
  /** Which of the questions it answers; all of them where absent. */
  answers?(question: VideoRequest): boolean;
  /** The models that it serves answer nothing but this endpoint: no text is asked of them. */
  readonly isExclusive?: boolean;
  /** Videos that one task may make. */
  readonly maxCount: number;
  /** Below the channel's address, as all paths here. */
  readonly path: (model: string, question: VideoRequest, options: ChannelOptions) => string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly poll: TaskPoll;
  /** How to find a task by our own id for it; absent where the vendor knows no such id. */
  readonly find?: TaskPoll;
  /** How to take back a task that has not begun; absent where there is no such thing. */
  readonly cancel?: Pick<TaskPoll, "path" | "body"> & { readonly method: "POST" | "DELETE" };
  /** Where a video's bytes are, below the channel's address, for vendors who hand out no link that is open to anybody. */
  content?(task: TaskRef, variant: "video" | "thumbnail" | "spritesheet"): string | undefined;
  /** Links to its results that lead to its own address need the credential. */
  readonly linksNeedKey?: true;
  /** In which ways the vendor's reading of the format is its own, in that format's terms. */
  readonly dialect?: Readonly<Record<string, unknown>>;
  readonly media: MediaTerms;
  /** After so long a task has ended, whatever the vendor says of it. */
  readonly deadlineMs: number;
  /** How long links to results lead somewhere, where an answer does not say. */
  readonly linksLastMs?: number;
  /** What a notice of the vendor's is about; absent where it sends none. */
  readonly webhooks?: VendorWebhookTerms;
}

/** A vendor's library, which may be somewhere else than its models, and be opened by something else. */
export interface AssetService {
  readonly style: OutboundAssetFormat;
  /** Undefined where nobody can say. */
  urlOf(channel: Pick<Channel, "baseUrl" | "options">): string | undefined;
  /** Members of every body. */
  membersOf(options: ChannelOptions): JsonObject;
  /** Whether a credential opens the library, too. */
  hasKey(secret: string): boolean;
  readonly authorize: Authorize;
  /** How long links to assets lead somewhere. */
  readonly linksLastMs: number;
}

/** A request that asks how a task is. */
export interface TaskPoll {
  readonly method: "GET" | "POST";
  path(task: TaskRef): string;
  body?(task: TaskRef): JsonObject;
  /**
   * Where the rest of an answer is, below the channel's address, for vendors
   * who tell it apart. Its members are read beside those of the first.
   */
  restOf?(answer: JsonObject): string | undefined;
  /** An answer whose status says failure may be about the task, and not about the question. */
  readonly readsFailures?: true;
}

export interface MediaTerms {
  /** Kinds whose links it does not follow: what is behind them is sent. */
  readonly inlines: readonly VideoMedia["type"][];
  /** Media types of pictures; others are sent as PNG. */
  readonly types: readonly string[];
}

export interface VendorWebhookTerms {
  /**
   * What signs its notices, as https://www.standardwebhooks.com has it, where a
   * channel's credential holds that as well; absent where nothing ever does.
   */
  secretIn?(credential: string): string | undefined;
  /** The vendor's id of the task that a notice is about. */
  idIn(body: JsonObject): string | undefined;
}

export interface PictureTerms {
  /** It follows no links: what is behind them is sent. */
  readonly inlines: boolean;
  /** Media types; pictures of other ones are sent as PNG. */
  readonly types: readonly string[];
}

export type EmbeddingEndpoint = OperationEndpoint<EmbeddingRequest, Embeddings>;

/** A vendor reached through a library that speaks its language. */
export interface TextAdapter {
  /** Asks, and reads the answer as it comes. Fails with `GatewayError` only. */
  answer(request: ChatRequest, way: AdapterWay): AsyncIterable<ChatEvent>;
}

/** What an adapter is given for one call. */
export interface AdapterWay {
  /** Empty for the vendor's own. */
  readonly baseUrl: string;
  readonly options: ChannelOptions;
  readonly traits: ModelTraits;
  readonly report: LossReport;
  /** The caller would rather be refused than lose a field. */
  readonly isStrict: boolean;
  /**
   * The only way out. It fails in our words: where the vendor answers with a
   * failure, where a deadline passes, and where the caller leaves.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Stands for the credential in header values and in the query, and is replaced on the way out. */
  readonly placeholder: string;
}

export interface ProviderOptions {
  /** What each is, by its name. */
  readonly required?: Readonly<Record<string, string>>;
  readonly optional?: Readonly<Record<string, string>>;
  /** Others are the business of somebody else, and are passed on. */
  readonly isOpen?: true;
  /** What is wrong with those that were given, by name. */
  optionProblems?(options: ChannelOptions): Readonly<Record<string, string>>;
}

/** Reads a header of the caller's request. */
export interface ReadHeader {
  (name: string): string | undefined;
  /** Names of all its headers, in lower case. */
  readonly names?: () => Iterable<string>;
}

/** Where a request goes, and what its caller says beside the body. */
export interface RequestContext {
  readonly options: ChannelOptions;
  /** To the vendor's well-known address. */
  readonly isVendors: boolean;
  readonly ofCaller: ReadHeader;
}

export function bearer(secret: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${secret}` };
}

/** What a channel has to say, for whoever reads channels. */
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
