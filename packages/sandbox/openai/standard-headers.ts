import { newId } from "./ids.ts";

/** Headers of every response, including errors. */
export function standardHeaders(): Readonly<Record<string, string>> {
  return {
    "x-request-id": newId("req_", 32).toLowerCase(),
    "openai-organization": "org-sandbox",
    "openai-processing-ms": "12",
    "openai-version": "2020-10-01",
    "x-ratelimit-limit-requests": "10000",
    "x-ratelimit-remaining-requests": "9999",
    "x-ratelimit-reset-requests": "6ms",
    "x-ratelimit-limit-tokens": "200000",
    "x-ratelimit-remaining-tokens": "199900",
    "x-ratelimit-reset-tokens": "30ms",
  };
}
