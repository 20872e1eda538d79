import type { Vocabulary } from "#styles/upstream-error.ts";

/** The codes of failures at Model Studio: https://www.alibabacloud.com/help/en/model-studio/error-code */
export const VOCABULARY: Vocabulary = [
  [/datainspectionfailed|^ipinfringementsuspect/, "content_filtered"],
  [/^(arrearage|invalidapikey|accessdenied\.unpurchased|model\.accessdenied)/, "upstream_auth"],
  // An account without the service, or a request in a mode that the account may not use.
  [/^accessdenied/, "upstream_refused"],
  [/^modelnotfound/, "upstream_model_missing"],
  [/^requesttimeout/, "upstream_timeout"],
  [/^throttling/, "upstream_rate_limited"],
  [/^(modelunavailable|serviceunavailable)/, "upstream_overloaded"],
  [/^(internalerror|modelservicefailed)/, "upstream_failed"],
  [/^(invalid|badrequest|unsupportedoperation)/, "upstream_rejected"],
];
