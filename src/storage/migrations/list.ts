import type { Kysely } from "kysely";
import { start } from "./0001-start.ts";
import { responses } from "./0002-responses.ts";
import { accounts } from "./0003-accounts.ts";
import { keptAnswers } from "./0004-kept-answers.ts";
import { channels } from "./0005-channels.ts";
import { budgets } from "./0006-budgets.ts";
import { groups } from "./0007-groups.ts";
import { secondFactors } from "./0008-second-factors.ts";
import { audit } from "./0009-audit.ts";
import { usage } from "./0010-usage.ts";
import { settings } from "./0011-settings.ts";
import { units } from "./0012-units.ts";
import { tasks } from "./0013-tasks.ts";
import { notices } from "./0014-notices.ts";
import { media } from "./0015-media.ts";
import { assets } from "./0016-assets.ts";
import { ownExternalIds } from "./0017-own-external-ids.ts";
import { unpricedCalls } from "./0018-unpriced-calls.ts";
import { modelsLikeOthers } from "./0019-models-like-others.ts";
import { callTags } from "./0020-call-tags.ts";
import { catalogRows } from "./0021-catalog-rows.ts";
import { referenceImages } from "./0022-reference-images.ts";
import { callBlocks } from "./0023-call-blocks.ts";
import { describedChannels } from "./0024-described-channels.ts";
import { contentLog } from "./0025-content-log.ts";
import { usageAndPrices } from "./0026-usage-and-prices.ts";
import { budgetPeriods } from "./0027-budget-periods.ts";
import { searchNames } from "./0028-search-names.ts";
import { accessTokens } from "./0029-access-tokens.ts";
import { rotatedKeys } from "./0030-rotated-keys.ts";
import { invitations } from "./0031-invitations.ts";
import { alerts } from "./0033-alerts.ts";
import { operatedChannels } from "./0035-operated-channels.ts";
import { channelStates } from "./0036-channel-states.ts";
import { usageRollups } from "./0037-usage-rollups.ts";
import { imported } from "./0039-imported.ts";
import { namedRefusals } from "./0040-named-refusals.ts";
import { usageOfLabels } from "./0041-usage-of-labels.ts";
import type { Ddl } from "./ddl.ts";

/** Every migration by name; names sort in execution order. Entries are only added. */
export const MIGRATIONS: Readonly<Record<string, MigrateUp>> = {
  "0001-start": start,
  "0002-responses": responses,
  "0003-accounts": accounts,
  "0004-kept-answers": keptAnswers,
  "0005-channels": channels,
  "0006-budgets": budgets,
  "0007-groups": groups,
  "0008-second-factors": secondFactors,
  "0009-audit": audit,
  "0010-usage": usage,
  "0011-settings": settings,
  "0012-units": units,
  "0013-tasks": tasks,
  "0014-notices": notices,
  "0015-media": media,
  "0016-assets": assets,
  "0017-own-external-ids": ownExternalIds,
  "0018-unpriced-calls": unpricedCalls,
  "0019-models-like-others": modelsLikeOthers,
  "0020-call-tags": callTags,
  "0021-catalog-rows": catalogRows,
  "0022-reference-images": referenceImages,
  "0023-call-blocks": callBlocks,
  "0024-described-channels": describedChannels,
  "0025-content-log": contentLog,
  "0026-usage-and-prices": usageAndPrices,
  "0027-budget-periods": budgetPeriods,
  "0028-search-names": searchNames,
  "0029-access-tokens": accessTokens,
  "0030-rotated-keys": rotatedKeys,
  "0031-invitations": invitations,
  "0033-alerts": alerts,
  "0035-operated-channels": operatedChannels,
  "0036-channel-states": channelStates,
  "0037-usage-rollups": usageRollups,
  "0039-imported": imported,
  "0040-named-refusals": namedRefusals,
  "0041-usage-of-labels": usageOfLabels,
};

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export type MigrateUp = (db: Kysely<any>, ddl: Ddl) => Promise<void>;
