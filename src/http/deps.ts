import type { z } from "zod";
import type { AuditLog } from "#core/audit.ts";
import type { CatalogUpdates } from "#core/catalog-update.ts";
import type { CallLog } from "#core/call.ts";
import type { Reach } from "#core/channel.ts";
import type { Configuration } from "#core/configuration.ts";
import type { GatewayError } from "#core/error.ts";
import type { GroupStore } from "#core/group.ts";
import type { AdmissionRules, Identities, IdentityProvider } from "#core/identity.ts";
import type { IdempotencyStore } from "#core/idempotency.ts";
import type { KeyStore } from "#core/key.ts";
import type { Ledger } from "#core/ledger.ts";
import type { LoginLimiter } from "#core/login-limits.ts";
import type { WebhookSecrets, WebhookOutbox } from "#core/webhook-delivery.ts";
import type { UserKeys } from "#core/user-keys.ts";
import type { QuotaStore } from "#core/quota.ts";
import type { ResponseStore } from "#core/responses.ts";
import type { TeamStore } from "#core/team.ts";
import type { ChannelDraft, ChannelStore, ModelDraft, ModelStore } from "#core/stored-routing.ts";
import type { Logins, UserStore } from "#core/user.ts";
import type { UsageReports } from "#core/usage-report.ts";
import type { ChangeableSettings } from "#core/setting.ts";
import type { Clock } from "#lib/clock.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import type { SecondFactorRule, SecondFactors } from "#core/second-factor.ts";
import type { Seal } from "#lib/seal.ts";
import type { Channels } from "#relay/routing/channels.ts";
import type { Contents } from "#relay/content/contents.ts";
import type { TaskLinker } from "#relay/content/task-links.ts";
import type { Library } from "#relay/assets/library.ts";
import type { OwnFiles } from "#relay/assets/local-files.ts";
import type { OwnLinks } from "#relay/assets/signed-urls.ts";
import type { Verifications } from "#relay/assets/verifications.ts";
import type { ChannelRegistry } from "#relay/routing/channel-registry.ts";
import type { OperateDeps } from "#relay/operate.ts";
import type { RelayDeps } from "#relay/relay.ts";
import type { ImageShape } from "./api/image/shape.ts";
import type { Tasks } from "#relay/tasks/tasks.ts";
import type { OpenSockets } from "./open-sockets.ts";
import type { PathAlias } from "./path-aliases.ts";
import type { RefusalSample } from "./refusal-sample.ts";

/** The dependencies of the HTTP layer. */
export interface HttpDeps {
  readonly keys: KeyStore;
  readonly ownKeys: UserKeys;
  readonly users: UserStore;
  readonly groups: GroupStore;
  readonly logins: Logins;
  readonly audit: AuditLog;
  readonly refusals: RefusalSample;
  readonly secondFactors: SecondFactors;
  readonly secondFactorRule: SecondFactorRule;
  readonly identities: Identities;
  /** Undefined if not configured. */
  readonly singleSignOn: SingleSignOn | undefined;
  readonly loginLimits: LoginLimiter;
  /** Networks of reverse proxies whose forwarded client addresses are trusted. */
  readonly trustedProxies: readonly string[];
  readonly calls: CallLog;
  readonly ledger: Pick<Ledger, "findAccount">;
  readonly quotas: QuotaStore;
  readonly teams: TeamStore;
  readonly usage: UsageReports;
  readonly channels: Channels;
  readonly channelRegistry: ChannelRegistry;
  readonly channelStore: ChannelStore;
  readonly modelStore: ModelStore;
  readonly catalogUpdates: CatalogUpdates;
  readonly settings: ChangeableSettings;
  readonly configuration: Configuration;
  /** Validates with the rules of the configuration file. Both throw `invalid_request`. */
  readChannel(json: JsonObject, terms: { readonly isKeyOptional: boolean }): ChannelDraft;
  readModel(name: string, json: JsonObject): ModelDraft;
  /** Undefined for an address that no channel may have. */
  reachNeeded(url: URL): Reach | undefined;
  readonly relay: RelayDeps & OperateDeps;
  readonly tasks: Tasks;
  readonly library: Library;
  readonly assetFiles: OwnFiles;
  readonly assetLinks: OwnLinks;
  readonly verifications: Verifications;
  /**
   * The URL at which clients and vendors reach the gateway, without a trailing slash; undefined if
   * not configured.
   */
  readonly publicUrl: string | undefined;
  /** Files that tasks made. */
  readonly contents: Contents;
  readonly taskLinker: TaskLinker;
  /** Finished videos are copied to the gateway's storage, and their links lead to the gateway. */
  readonly keepsMedia: boolean;
  readonly notices: WebhookOutbox;
  readonly noticeSecrets: WebhookSecrets;
  /** Prefixes below which the paths of another prefix are also served. */
  readonly pathAliases: readonly PathAlias[];
  imageShape(): ImageShape;
  readonly responses: ResponseStore;
  readonly sockets: OpenSockets;
  /** Encrypts the summaries that clients hold in place of conversations. */
  readonly summarySeal: Seal;
  readonly keptAnswers: IdempotencyStore;
  readonly clock: Clock;
  readonly limits: HttpLimits;
  /** Prometheus text. */
  renderMetrics(): Promise<string>;
  /** Throws if the database cannot be written. */
  ping(): Promise<void>;
  /** The Bearer token for metrics; undefined leaves them open to everyone who reaches the port. */
  readonly metricsToken: string | undefined;
  /**
   * Gets every stream that was written completely. Tests and development check it against the
   * style's grammar.
   */
  readonly onStream?: (style: string, text: string) => void;
  /** Shown every JSON answer of the management API: for tests, which hold it to the schema of its route. */
  readonly onAnswer?: (answer: SeenAnswer) => void;
  /** An unexpected failure: for the operator's log, never for the caller. */
  onError(error: GatewayError, requestId: string): void;
}

export interface SeenAnswer {
  /** `GET /api/user/:id`. */
  readonly route: string;
  readonly status: number;
  readonly body: Json;
  /** What the API document says of it. */
  readonly schema: z.ZodType;
}

/** Logins by somebody else's word. */
export interface SingleSignOn {
  readonly provider: IdentityProvider;
  /** Label of the login button. */
  readonly name: string;
  readonly rules: AdmissionRules;
  /** The provider has already verified a second factor. */
  readonly isSecondFactor: boolean;
  /** Encrypts the login state that the browser holds meanwhile. */
  readonly seal: Seal;
}

export interface HttpLimits {
  readonly bodyBytes: number;
  readonly mediaBodyBytes: number;
  readonly jsonDepth: number;
  readonly messages: number;
  readonly bigBodies: number;
  /** A longer response is not stored for its idempotency key; only the fact that it was sent is. */
  readonly keptAnswerBytes: number;
  /** Maximum duration of a call. */
  readonly totalMs: number;
  readonly keysPerUser: number;
  /** Time until a client must read again; the runtime allows at most 255 seconds. */
  readonly callerStallMs: number;
  readonly drainMs: number;
  /** Maximum number of WebSockets of one key. */
  readonly keySockets: number;
  readonly socketMs: number;
  readonly socketIdleMs: number;
  /** Maximum number of concurrent responses on one WebSocket. */
  readonly socketLanes: number;
  /** Maximum size of the conversations that a WebSocket keeps. */
  readonly socketStateBytes: number;
}
