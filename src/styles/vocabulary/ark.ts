import type { Vocabulary } from "#styles/upstream-error.ts";

/** The codes of failures at Ark: https://www.volcengine.com/docs/82379/1299023 */
export const VOCABULARY: Vocabulary = [
  [/sensitivecontentdetected|riskdetection/, "content_filtered"],
  // The endpoint reopens without an operator.
  [/^invalidendpoint\.closedendpoint/, "upstream_overloaded"],
  [/^(missingparameter|invalidparameter|invalidimageurl)/, "upstream_rejected"],
  [
    /^(authenticationerror|invalidaccountstatus|accountoverdueerror|operationdenied\.service)/,
    "upstream_auth",
  ],
  [/^(accessdenied|operationdenied)/, "upstream_refused"],
  [/^(invalidendpointormodel|modelnotopen)/, "upstream_model_missing"],
  [/ratelimitexceeded|^(requestbursttoofast|inflightbatchsizeexceeded)/, "upstream_rate_limited"],
  [/^(quotaexceeded|setlimitexceeded)/, "upstream_rate_limited"],
  [/^serveroverloaded/, "upstream_overloaded"],
  [/^(internalserviceerror|contentsecuritydetectionerror)/, "upstream_failed"],
];
