import type { ImportDraft } from "../draft.ts";
import type { Row } from "../row.ts";
import type { Program } from "./channel-types.ts";
import { disabledGroups } from "./one-hub.ts";
import type { Options } from "./options.ts";
import type { OneApiTables } from "./read-one-api.ts";

const UNUSED = 1;
const TAKEN = new Set([
  "ModelRatio",
  "CompletionRatio",
  "CacheRatio",
  "CreateCacheRatio",
  "ModelPrice",
  "ImageRatio",
  "AudioRatio",
  "AudioCompletionRatio",
  "billing_setting.billing_mode",
  "billing_setting.billing_expr",
  "GroupRatio",
  "GroupGroupRatio",
  "AutoGroups",
  "QuotaPerUnit",
  "AutomaticDisableChannelEnabled",
  "ModelRequestRateLimitEnabled",
  "ModelRequestRateLimitDurationMinutes",
  "ModelRequestRateLimitCount",
  "ModelRequestRateLimitSuccessCount",
  "ModelRequestRateLimitGroup",
]);

/** Names the parts that an import does not take, with reasons. */
export function leaveRest(
  program: Program,
  options: Options,
  rows: (name: keyof OneApiTables) => readonly Row[],
  draft: ImportDraft,
): void {
  draft.leave(
    "the log of calls",
    "Only the totals are taken, so that what users and keys have left stays true. Keep the old database for its log.",
  );
  draft.leave(
    "passwords, second factors, logins and access tokens of users",
    "They are stored in another form. Users get a login by a mailed link, single sign-on or an admin; admins make new access tokens.",
  );
  draft.leave(
    `'${program === "one-hub" ? "#" : "-"}' and a channel's id behind a key`,
    "There, an admin's key can name a channel in this way. Here such a key is unknown; use POST /api/explain or a channel's prefix.",
  );
  const disabled = disabledGroups(rows("user_groups"));
  if (disabled.length > 0) {
    draft.leave(
      `the switches of the groups ${disabled.join(", ")}`,
      "They are disabled there, and calls of their users refused. Here no group is: disable the users or their keys.",
    );
  }
  const unused = rows("redemptions").filter(
    (row) => row.number("status") === UNUSED && row.text("deleted_at") === undefined,
  );
  if (unused.length > 0) {
    draft.leave(
      `${unused.length} unused redemption codes`,
      "Codes here have a form of their own. Make new ones: sluice codes create.",
    );
  }
  const subscriptions = rows("user_subscriptions");
  if (subscriptions.length > 0) {
    const owners = [...new Set(subscriptions.map((row) => row.text("user_id") ?? ""))];
    draft.leave(
      `${subscriptions.length} subscriptions (of users ${owners.join(", ")})`,
      "Sluice sells none. Give these users a monthly budget or a quota instead.",
    );
  }
  const others = options.names.filter((name) => !TAKEN.has(name)).sort();
  if (others.length > 0) {
    draft.leave(
      `options ${others.join(", ")}`,
      "They have no counterpart, or belong to the settings of this installation.",
    );
  }
}
