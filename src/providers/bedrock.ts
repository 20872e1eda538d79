import { signV4 } from "#lib/sigv4.ts";
import { adapterOver } from "./ai-sdk/adapter.ts";
import type { Provider } from "./provider.ts";

const PACKAGE = "@ai-sdk/amazon-bedrock";
const SERVICE = "bedrock";
/** `AKIA...:secret`, optionally followed by a session token. */
const KEY_PAIR = /^([A-Z0-9]{16,128}):([^:\s]{16,}?)(?::(\S+))?$/;

/**
 * The Converse API, whose streams use a binary format of the vendor. A credential is an API key, or
 * an access key pair, which signs each request and is never sent.
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
    // Otherwise it is an API key, which replaces the placeholder.
    if (accessKeyId === undefined || secretAccessKey === undefined) return {};
    return signV4(
      request,
      { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
      { region: options["region"] ?? "", service: SERVICE, at, sign: ["content-type"] },
    );
  },

  /** Ids start with the model's maker; a region may stand before it. */
  knownAs: (model) =>
    model.replace(/^(?:[a-z]+\.)?anthropic\.(.+?)(?:-v\d+(?::\d+)?)?$/, "$1").replace(/@.*$/, ""),
};
