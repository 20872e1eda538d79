import { messages } from "#styles/text/messages/index.ts";
import {
  BASE_VERSION,
  fitNewestVersion,
  NEWEST_VERSION,
} from "#styles/text/messages/request/version.ts";
import { claudeHeaders, VERSION } from "./claude-headers.ts";
import { secretIn, type Provider } from "./provider.ts";

/** Beta features are enabled by a header; a client may name more than its body implies. */
export const anthropic: Provider = {
  id: "anthropic",
  name: "Anthropic",
  docs: "https://docs.anthropic.com/en/api/messages",
  baseUrl: "https://api.anthropic.com/v1",
  keyVariable: "ANTHROPIC_API_KEY",
  needsKey: true,
  options: {
    optional: {
      version: "the version of the interface for calls that name none, such as 2026-10-21",
    },
    optionProblems: ({ version }) =>
      version === undefined || /^\d{4}-\d\d-\d\d$/.test(version)
        ? {}
        : { version: "is not a date such as 2026-10-21." },
  },
  text: [
    {
      style: messages,
      path: "/messages",
      isFaithful: true,
      adaptRequest(body, _model, report, { options, ofCaller } = NO_CONTEXT) {
        const isFitted = ofCaller(VERSION) === undefined && options["version"] === NEWEST_VERSION;
        return isFitted ? fitNewestVersion(body, report) : NO_EDITS;
      },
      headers: claudeHeaders,
      refusesForAll: (headers) => headers[VERSION] !== NEWEST_VERSION,
    },
  ],
  modelsPath: "/models?limit=1000",
  headers: { [VERSION]: BASE_VERSION },
  authorize: secretIn("x-api-key"),
};

const NO_CONTEXT = { options: {}, isVendors: false, ofCaller: () => undefined };
const NO_EDITS = {};
