import type { ErrorDetail } from "@sluice/sandbox/openai/error.ts";

/** Words in brackets that make a task fail after it has run. */
export const MODERATED = "OutputVideoSensitiveContentDetected";
export const ASYNC_FAILURES = [
  `${MODERATED}.PolicyViolation`,
  MODERATED,
  "OutputAudioSensitiveContentDetected.PolicyViolation",
  "OutputAudioSensitiveContentDetected",
] as const;

/** `[person]`: real persons are seen in the pictures, which they have to have been verified for. */
export const REAL_PERSON = "InputImageSensitiveContentDetected.PrivacyInformation";

/** What has the task refused before there is one: any of the codes, in brackets. */
export function findRefusal(marks: ReadonlySet<string>): string | undefined {
  return REFUSALS.find((code) => marks.has(code));
}

/** `[timeout]`: there is a task, and who ordered it does not learn of it. */
export const TIMEOUT: ErrorDetail = {
  message: "The service did not answer in time.",
  type: "InternalServerError",
  code: "InternalServiceError",
};

const REFUSALS = [
  "InputTextSensitiveContentDetected",
  "InputTextSensitiveContentDetected.PolicyViolation",
  "InputImageSensitiveContentDetected",
  "InputImageSensitiveContentDetected.PolicyViolation",
  REAL_PERSON,
  "InputVideoSensitiveContentDetected",
  "InputAudioSensitiveContentDetected",
  "InputTextRiskDetection",
  "InputImageRiskDetection",
  "InvalidEndpoint.ClosedEndpoint",
  "InvalidAccountStatus",
  "AccountOverdueError",
  "AccessDenied",
  "OperationDenied.ServiceNotOpen",
  "OperationDenied.ServiceOverdue",
  "OperationDenied.PermissionDenied",
  "InvalidEndpointOrModel.ModelIDAccessDisabled",
  "ModelNotOpen",
  "RateLimitExceeded.EndpointRPMExceeded",
  "ModelAccountRpmRateLimitExceeded",
  "ModelAccountIpmRateLimitExceeded",
  "APIAccountRpmRateLimitExceeded",
  "AccountRateLimitExceeded",
  "RequestBurstTooFast",
  "InflightBatchsizeExceeded",
  "ServerOverloaded",
  "QuotaExceeded",
  "SetLimitExceeded",
  "InternalServiceError",
  "ContentSecurityDetectionError",
] as const;
