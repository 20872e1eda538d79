import type { Vocabulary } from "#styles/upstream-error.ts";

/** https://www.volcengine.com/docs/82379/1299023 */
export const VOCABULARY: Vocabulary = [
  [/sensitivecontentdetected/, "content_filtered"],
  [/^(missingparameter|invalidparameter|invalidimageurl)/, "upstream_rejected"],
  [/^(authenticationerror|accessdenied|accountoverdueerror|operationdenied)/, "upstream_auth"],
  [/^(invalidendpointormodel|modelnotopen)/, "upstream_model_missing"],
  [/^(ratelimitexceeded|quotaexceeded)/, "upstream_rate_limited"],
  [/^serveroverloaded/, "upstream_overloaded"],
  [/^internalserviceerror/, "upstream_failed"],
];
