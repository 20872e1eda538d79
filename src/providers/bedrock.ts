import { signV4 } from "#lib/sigv4.ts";
import { adapterOver } from "./ai-sdk/adapter.ts";
import type { Provider } from "./provider.ts";

const PACKAGE = "@ai-sdk/amazon-bedrock";
const SERVICE = "bedrock";
/** `AKIA...:secret`, and the token of a session behind them where there is one. */
const KEY_PAIR = /^([A-Z0-9]{16,128}):([^:\s]{16,}?)(?::(\S+))?$/;

/**
 * Converse, whose streams are a binary format of the vendor's own. A
 * credential is an API key, or the two halves of an access key, which sign
 * each request and stay here.
 */
export const bedrock: Provider = {
  id: "bedrock",
  name: "Amazon Bedrock",
  prefixes: ["amazon-bedrock"],
  docs: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html",
  needsKey: true,
  needsModels: true,
  text: [],
  options: {
    required: { region: "the vendor's region, such as eu-central-1" },
    optionProblems: ({ region = "" }) =>
      /^[a-z]{2}(?:-[a-z]+)+-\d$/.test(region) ? {} : { region: "is not the name of a region." },
  },
  adapter: adapterOver(({ baseUrl, options, placeholder, fetch }) => ({
    package: PACKAGE,
    settings: {
      region: options["region"],
      apiKey: placeholder,
      fetch,
      ...(baseUrl === "" ? {} : { baseURL: baseUrl }),
    },
  })),
  authorize(secret, { options, at, ...request }) {
    const [, accessKeyId, secretAccessKey, sessionToken] = KEY_PAIR.exec(secret) ?? [];
    // Then it is an API key, which stands where the placeholder does.
    if (accessKeyId === undefined || secretAccessKey === undefined) return {};
    return signV4(
      request,
      { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
      { region: options["region"] ?? "", service: SERVICE, at, sign: ["content-type"] },
    );
  },

  /** Ids name the maker, and before it may stand the region that the model runs in. */
  knownAs: (model) =>
    model.replace(/^(?:[a-z]+\.)?anthropic\.(.+?)(?:-v\d+(?::\d+)?)?$/, "$1").replace(/@.*$/, ""),
};
