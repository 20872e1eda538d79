import type { AccessTokens } from "#core/access-token.ts";
import type { Kysely } from "kysely";
import type {
  AlertDestinationStore,
  AlertRuleStore,
  AlertStore,
  FundsReader,
  GatewayFactsStore,
} from "#core/alert.ts";
import type { AuditLog } from "#core/audit.ts";
import type { AssetStore } from "#core/asset.ts";
import type { ChannelBalanceStore } from "#core/channel-balance.ts";
import type { ChannelStateStore } from "#core/channel-state.ts";
import type { UpdatedRowStore } from "#core/catalog-update.ts";
import type { ChannelMinuteStore } from "#core/channel-minute.ts";
import type { ContentIndex } from "#core/content-log.ts";
import type { CallArchive } from "#core/call-archive.ts";
import type { CallIndexing, CallLog, CallRetention } from "#core/call.ts";
import type { Atomically } from "#core/configuration.ts";
import type { Identities } from "#core/identity.ts";
import type { IdentitySessionStore } from "#core/identity-session.ts";
import type { InvitationStore } from "#core/invitation.ts";
import type { KeyDirectory, KeyStore } from "#core/key.ts";
import type { ImportStorage } from "#core/import.ts";
import type { IdempotencyStore } from "#core/idempotency.ts";
import type { GroupStore } from "#core/group.ts";
import type { MailLinks } from "#core/mail-link.ts";
import type { MediaCopyStore } from "#core/kept-media.ts";
import type { JournalExports } from "#core/journal-export.ts";
import type { Ledger } from "#core/ledger.ts";
import type { GatewayBudgetStore, QuotaStore } from "#core/quota.ts";
import type { RedemptionCodes } from "#core/redemption-code.ts";
import type { ResponseStore } from "#core/responses.ts";
import type { WebhookSecrets, WebhookOutbox } from "#core/webhook-delivery.ts";
import type { TaskStore } from "#core/task.ts";
import type { TeamStore } from "#core/team.ts";
import type { UsageReports, UsageSums } from "#core/usage-report.ts";
import type { ChannelStore, ModelStore, RoutingVersion } from "#core/stored-routing.ts";
import type { SecondFactors } from "#core/second-factor.ts";
import type { SpendReports } from "#core/spend.ts";
import type { SettingStore } from "#core/setting.ts";
import type { Clock } from "#lib/clock.ts";
import { openSeal } from "#lib/seal.ts";
import { createAlerts } from "./alerts/alerts.ts";
import { createAlertDestinations } from "./alerts/destinations.ts";
import { createFundsReader } from "./alerts/funds.ts";
import { createGatewayFacts } from "./alerts/gateway-facts.ts";
import { createAlertRules } from "./alerts/rules.ts";
import { assertSamePepper } from "./secrets/assert-same-pepper.ts";
import { createAssetStore } from "./media/assets.ts";
import { createAtomically } from "./database/atomically.ts";
import { createImportStorage } from "./import/import-storage.ts";
import { openAuditLog } from "./audit/audit.ts";
import { archivedCalls } from "./journal/archived-calls.ts";
import { createCallLog, pruneCalls } from "./journal/calls.ts";
import { createContentIndex } from "./journal/contents.ts";
import { indexCalls, pruneBlocks } from "./journal/index-calls.ts";
import { createUpdatedRowStore } from "./routing/catalog-rows.ts";
import { createChannelBalanceStore } from "./routing/channel-balances.ts";
import { createChannelStateStore } from "./routing/channel-states.ts";
import { createChannelMinutes } from "./routing/channel-minutes.ts";
import { createChannelStore } from "./routing/channels.ts";
import type { CountingJournal, Engine, EngineOptions } from "./database/engine.ts";
import type { WriteStats } from "./accounts/group-commit.ts";
import { createGatewayBudgets } from "./accounts/gateway-budgets.ts";
import { createGrants, type GrantsDeps } from "./accounts/grants.ts";
import { createIdentitySessionStore } from "./media/identity-sessions.ts";
import { createIdentities } from "./access/identities.ts";
import { createInvitationStore } from "./access/invitations.ts";
import { createKeyAdmin, type KeyAdmin } from "./keys/key-admin.ts";
import { createIdempotencyStore } from "./journal/idempotency.ts";
import { findKeyById, findRefused, openKeyStore } from "./keys/keys.ts";
import { STORAGE_LIMITS, type StorageLimits } from "./limits.ts";
import { createAccessTokens } from "./access/access-tokens.ts";
import { createLogins, type LoginStore } from "./access/logins.ts";
import { createMailLinks } from "./access/mail-links.ts";
import { createModelStore } from "./routing/models.ts";
import { openPasswords, type PasswordCost } from "./access/passwords.ts";
import { createQuotaStore } from "./accounts/quotas.ts";
import { createRedemptionCodes } from "./accounts/redemption-codes.ts";
import { createResponseStore } from "./journal/responses.ts";
import { createRoutingVersion } from "./routing/routing-version.ts";
import { createMediaCopyStore } from "./media/media-copies.ts";
import { openCredentialSealer } from "./secrets/sealed.ts";
import { createSecondFactors } from "./access/second-factors.ts";
import { createSettingStore } from "./routing/settings.ts";
import { openSqlite } from "./sqlite/open.ts";
import type { Tables } from "./tables.ts";
import { endLeases } from "./tasks/end-leases.ts";
import { createWebhookSecrets } from "./tasks/webhook-secrets.ts";
import { createWebhookOutbox } from "./tasks/webhook-outbox.ts";
import { createTaskStore } from "./tasks/tasks.ts";
import { createTeamStore } from "./access/teams.ts";
import { createUsage } from "./journal/usage.ts";
import { createJournalExports, readExportedTo } from "./journal/journal-exports.ts";
import { createGroupStore } from "./access/user-groups.ts";
import { createUserStore, type UserAdmin } from "./access/users.ts";

interface StorageOptions {
  /** Folder of the SQLite files. */
  readonly dataDir: string;
  /** URL of a PostgreSQL database, which several gateways may share, instead of SQLite. */
  readonly databaseUrl?: string;
  /** Id of this process, new at each start, so that its holds differ from earlier ones. */
  readonly instance: string;
  /** From `loadPepper`; the same for all gateways on one database. */
  readonly pepper: Uint8Array;
  /** The file of the pepper, if it existed before this start: then a database must exist too. */
  readonly secretFile?: string;
  readonly clock: Clock;
  /** Queued writes before new calls are refused. */
  readonly maxQueue?: number;
  readonly limits?: Partial<StorageLimits>;
  /** Lower in tests, which hash hundreds of passwords. */
  readonly passwordCost?: PasswordCost;
  /** Called for errors that reach no caller. */
  readonly onError: (cause: unknown) => void;
  /** The disk failed: end the process, and let the next start recover. `onError` is called too. */
  readonly onFatal?: (cause: unknown) => void;
  /** The database cannot be reached yet. `message` names its address and the reason. */
  readonly onWait?: (message: string) => void;
}

interface RefusedKeys {
  /** The keys among `ids` that may no longer call, according to the database. */
  findRefused(ids: readonly number[]): Promise<readonly number[]>;
}

export interface Storage extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly journal: CountingJournal;
  readonly keys: KeyStore & KeyAdmin & RefusedKeys & KeyDirectory;
  readonly quotas: QuotaStore;
  readonly teams: TeamStore;
  readonly users: UserAdmin;
  readonly groups: GroupStore;
  readonly logins: LoginStore;
  readonly accessTokens: AccessTokens;
  readonly secondFactors: SecondFactors;
  readonly identities: Identities;
  readonly invitations: InvitationStore;
  readonly mailLinks: MailLinks;
  readonly codes: RedemptionCodes;
  readonly responses: ResponseStore;
  readonly tasks: TaskStore;
  readonly notices: WebhookOutbox;
  readonly noticeSecrets: WebhookSecrets;
  readonly mediaCopies: MediaCopyStore;
  readonly assets: AssetStore;
  readonly identitySessions: IdentitySessionStore;
  readonly keptAnswers: IdempotencyStore;
  readonly audit: AuditLog;
  readonly channels: ChannelStore;
  readonly models: ModelStore;
  readonly catalogRows: UpdatedRowStore;
  readonly channelBalances: ChannelBalanceStore;
  readonly channelStates: ChannelStateStore;
  readonly settings: SettingStore;
  /** Also changes with settings. */
  readonly routingVersion: RoutingVersion;
  readonly atomically: Atomically;
  readonly imports: ImportStorage;
  /**
   * For tables without a store of their own. SQLite reads run on this thread,
   * so keep them short.
   */
  readonly db: Kysely<Tables>;
  readonly calls: CallLog & CallRetention & CallIndexing;
  /** The log of calls, continued by the archive that the export of this name fills. */
  withArchive(archive: CallArchive, target: string): CallLog;
  readonly usage: UsageReports & UsageSums & SpendReports;
  readonly journalExports: JournalExports;
  readonly writes: WriteStats;
  readonly channelMinutes: ChannelMinuteStore;
  readonly contents: ContentIndex;
  readonly gatewayBudgets: GatewayBudgetStore;
  readonly alertRules: AlertRuleStore;
  readonly alertDestinations: AlertDestinationStore;
  readonly alerts: AlertStore;
  readonly gatewayFacts: GatewayFactsStore;
  readonly funds: FundsReader;
  /** Resolves once a test write is on disk. */
  ping(): Promise<void>;
  /** Writes the queue and releases all resources. */
  close(): Promise<void>;
}

/** Opens the database, migrates its schema, and loads the state that must be in memory. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { dataDir, databaseUrl, instance, pepper, clock, maxQueue, onError, onFatal } = options;
  const { onWait = (message: string) => onError(new Error(message)) } = options;
  const limits: StorageLimits = {
    ...STORAGE_LIMITS,
    ...(maxQueue === undefined ? {} : { maxQueuedWrites: maxQueue }),
    ...options.limits,
  };
  const events = {
    onError,
    onFatal(cause: unknown) {
      onError(cause);
      onFatal?.(cause);
    },
    onWait,
  };
  const engineOptions = { instance, clock, limits, events };

  await using opened = new AsyncDisposableStack();
  const engine = opened.adopt(await openEngine(databaseUrl, dataDir, engineOptions), (each) =>
    each.close(),
  );
  const { db, journal } = engine;
  await assertSamePepper(db, pepper, options.secretFile);
  const keys = opened.use(
    await openKeyStore({ db, pepper, clock, ttlMs: engine.keyTtlMs, onError }),
  );
  const passwords = openPasswords(pepper, options.passwordCost);
  const credentialSealer = openCredentialSealer(pepper);
  const onGranted: GrantsDeps["onGranted"] = (id, limit) => engine.onGranted(id, limit);
  const destinationSeal = openSeal(pepper, "sluice: destinations of alerts");
  const grants = createGrants({ db, clock, onGranted });
  const admin = createKeyAdmin({ db, grants, keys, clock, ledger: engine.ledger });

  if (engine.isSole) await endLeases(db);

  const accessTokens = createAccessTokens({ db, clock, pepper });
  opened.defer(() => accessTokens.noteUses().catch(onError));

  const held = opened.move();
  const close = (): Promise<void> => held.disposeAsync();
  return {
    ledger: {
      ...engine.ledger,
      grant: (id, granted, note) => grants.transaction((on) => on.grant(id, granted, note)),
    },
    journal,
    keys: {
      find: keys.find,
      findRefused: (ids) => findRefused(db, ids),
      findById: (id) => findKeyById(db, id),
      ...admin,
    },
    quotas: createQuotaStore({ db, grants, ledger: engine.ledger, keys, clock }),
    teams: createTeamStore({ db, grants, keys, clock }),
    users: createUserStore({ db, clock, passwords, keys }),
    groups: createGroupStore({ db, clock, keys }),
    logins: createLogins({ db, clock, pepper, passwords }),
    accessTokens,
    secondFactors: createSecondFactors({ db, clock, pepper }),
    identities: createIdentities(db, clock),
    invitations: createInvitationStore({ db, clock, pepper, passwords }),
    mailLinks: createMailLinks({ db, clock, pepper }),
    codes: createRedemptionCodes({ db, clock, pepper, grants }),
    responses: createResponseStore(db),
    tasks: createTaskStore({ db, sharedNow: () => engine.sharedNow() }),
    notices: createWebhookOutbox({ db, sharedNow: () => engine.sharedNow() }),
    mediaCopies: createMediaCopyStore({ db, sharedNow: () => engine.sharedNow() }),
    noticeSecrets: createWebhookSecrets({ db, clock, pepper }),
    assets: createAssetStore({ db, sharedNow: () => engine.sharedNow() }),
    identitySessions: createIdentitySessionStore({ db, sharedNow: () => engine.sharedNow() }),
    keptAnswers: createIdempotencyStore({
      db,
      instance,
      isAlive: (other) => engine.isAlive(other),
    }),
    audit: openAuditLog(db, pepper),
    channels: createChannelStore({ db, clock, credentialSealer }),
    models: createModelStore(db, clock),
    catalogRows: createUpdatedRowStore(db, clock),
    channelBalances: createChannelBalanceStore(db),
    channelStates: createChannelStateStore(db),
    settings: createSettingStore(db, clock),
    routingVersion: createRoutingVersion(db),
    atomically: createAtomically({
      db,
      clock,
      credentialSealer,
      destinationSeal,
      keys,
      onGranted,
    }),
    imports: createImportStorage({
      db,
      clock,
      credentialSealer,
      passwords,
      keys,
      ledger: engine.ledger,
      onGranted,
    }),
    db,
    withArchive: (archive, target) =>
      createCallLog(db, () => engine.findCallsEnd(), archivedCalls({ db, archive, target })),
    calls: {
      ...createCallLog(db, () => engine.findCallsEnd()),
      async prune(before, limit, exports = []) {
        const ends = exports.map((target) => readExportedTo(db, target));
        const end = Math.min(...(await Promise.all(ends)));
        const pruned = await pruneCalls(db, before, limit, end);
        await pruneBlocks(db, limit);
        return pruned;
      },
      async index(limit) {
        const end = await engine.findCallsEnd();
        return end === undefined ? 0 : await indexCalls(db, end, limit);
      },
    },
    usage: createUsage({ db, engine, clock, maxLabels: limits.maxKeyLabels }),
    journalExports: createJournalExports({
      db,
      instance,
      sharedNow: () => engine.sharedNow(),
      findCallsEnd: () => engine.findCallsEnd(),
    }),
    writes: engine.writes,
    channelMinutes: createChannelMinutes(db, instance),
    contents: createContentIndex(db),
    gatewayBudgets: createGatewayBudgets({ db, grants, keys, clock }),
    alertRules: createAlertRules(db, clock),
    alertDestinations: createAlertDestinations({ db, clock, seal: destinationSeal }),
    alerts: createAlerts({ db, instance, sharedNow: () => engine.sharedNow() }),
    gatewayFacts: createGatewayFacts({ db, sharedNow: () => engine.sharedNow() }),
    funds: createFundsReader(db, clock),
    ping: () => engine.ping(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function openEngine(
  databaseUrl: string | undefined,
  dataDir: string,
  options: EngineOptions,
): Promise<Engine> {
  if (databaseUrl === undefined) return await openSqlite(dataDir, options);
  // A gateway with SQLite does not load the PostgreSQL client.
  const { openPostgres } = await import("./postgres/open.ts");
  return await openPostgres(databaseUrl, options);
}
