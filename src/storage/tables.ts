import type { AccessTokensTable } from "./tables/access-tokens.ts";
import type { AccountsTable } from "./tables/accounts.ts";
import type {
  AlertDestinationsTable,
  AlertLeaseTable,
  AlertRulesTable,
  AlertsTable,
  GatewayFactsTable,
} from "./tables/alerts.ts";
import type { AssetGroupsTable, AssetsTable } from "./tables/assets.ts";
import type { BudgetsTable } from "./tables/budgets.ts";
import type { AuditTable } from "./tables/audit.ts";
import type { CatalogRowsTable } from "./tables/catalog-rows.ts";
import type { ChannelBalancesTable } from "./tables/channel-balances.ts";
import type { ChannelStatesTable } from "./tables/channel-states.ts";
import type { CallBlocksTable, CallTermsTable } from "./tables/call-blocks.ts";
import type { CallContentsTable } from "./tables/call-contents.ts";
import type { CallsTable } from "./tables/calls.ts";
import type { ChannelMinutesTable } from "./tables/channel-minutes.ts";
import type { GroupsTable } from "./tables/groups.ts";
import type { ChannelsTable } from "./tables/channels.ts";
import type { HoldsTable } from "./tables/holds.ts";
import type { IdentitiesTable } from "./tables/identities.ts";
import type { IdentitySessionsTable } from "./tables/identity-sessions.ts";
import type { ImportedTable } from "./tables/imported.ts";
import type { InstancesTable } from "./tables/instances.ts";
import type {
  InvitationsTable,
  InvitationUsesTable,
  MailLinksTable,
} from "./tables/invitations.ts";
import type { CodeBatchesTable, CodesTable } from "./tables/codes.ts";
import type { KeptAnswersTable } from "./tables/kept-answers.ts";
import type { KeysTable } from "./tables/keys.ts";
import type { LedgerTable } from "./tables/ledger.ts";
import type { MediaTable } from "./tables/media.ts";
import type { MetaTable } from "./tables/meta.ts";
import type { ModelsTable } from "./tables/models.ts";
import type { NoticesTable } from "./tables/notices.ts";
import type { RecoveryCodesTable } from "./tables/recovery-codes.ts";
import type { ResponseItemsTable, ResponsesTable } from "./tables/responses.ts";
import type { SessionsTable } from "./tables/sessions.ts";
import type { SettingsTable } from "./tables/settings.ts";
import type { TasksTable } from "./tables/tasks.ts";
import type { TeamsTable } from "./tables/teams.ts";
import type {
  KeyUsageTable,
  UsageDaysTable,
  UsageHoursTable,
  UsageLabelDaysTable,
  UsageLabelOwnersTable,
  UsageLabelsTable,
  UsageTotalsTable,
} from "./tables/usage-hours.ts";
import type { UsersTable } from "./tables/users.ts";

/** The tables for Kysely, the same on both engines. */
export interface Tables {
  users: UsersTable;
  groups: GroupsTable;
  sessions: SessionsTable;
  access_tokens: AccessTokensTable;
  recovery_codes: RecoveryCodesTable;
  identities: IdentitiesTable;
  keys: KeysTable;
  teams: TeamsTable;
  accounts: AccountsTable;
  budgets: BudgetsTable;
  holds: HoldsTable;
  ledger: LedgerTable;
  calls: CallsTable;
  call_blocks: CallBlocksTable;
  call_terms: CallTermsTable;
  call_contents: CallContentsTable;
  channel_minutes: ChannelMinutesTable;
  instances: InstancesTable;
  meta: MetaTable;
  responses: ResponsesTable;
  response_items: ResponseItemsTable;
  kept_answers: KeptAnswersTable;
  audit: AuditTable;
  usage_hours: UsageHoursTable;
  usage_labels: UsageLabelsTable;
  usage_days: UsageDaysTable;
  usage_label_days: UsageLabelDaysTable;
  usage_label_owners: UsageLabelOwnersTable;
  usage_totals: UsageTotalsTable;
  key_usage: KeyUsageTable;
  channels: ChannelsTable;
  models: ModelsTable;
  catalog_rows: CatalogRowsTable;
  channel_balances: ChannelBalancesTable;
  channel_states: ChannelStatesTable;
  settings: SettingsTable;
  tasks: TasksTable;
  notices: NoticesTable;
  media: MediaTable;
  asset_groups: AssetGroupsTable;
  assets: AssetsTable;
  identity_sessions: IdentitySessionsTable;
  invitations: InvitationsTable;
  invitation_uses: InvitationUsesTable;
  mail_links: MailLinksTable;
  code_batches: CodeBatchesTable;
  codes: CodesTable;
  alert_rules: AlertRulesTable;
  alert_destinations: AlertDestinationsTable;
  alerts: AlertsTable;
  alert_lease: AlertLeaseTable;
  gateway_facts: GatewayFactsTable;
  imported: ImportedTable;
}
