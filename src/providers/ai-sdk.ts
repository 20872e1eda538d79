import { adapterOver } from "./ai-sdk/adapter.ts";
import { isInstalled, PACKAGE_NAME } from "./ai-sdk/load.ts";
import type { Provider } from "./provider.ts";

/**
 * Any vendor with a provider package for the AI SDK: the channel names the package, and its other
 * options are passed to it. The package never gets the secret: it gets a placeholder, which is
 * replaced when the request is sent.
 */
export const aiSdk: Provider = {
  id: "ai-sdk",
  name: "AI SDK package",
  docs: "https://ai-sdk.dev/providers/ai-sdk-providers",
  needsKey: false,
  needsModels: true,
  text: [],
  options: {
    required: { package: "the name of an installed package, such as @ai-sdk/cohere" },
    optional: {
      create: "the export that makes its provider, where it has several",
      api: "the provider's method that makes a model, where it has several",
    },
    isOpen: true,
    optionProblems(options) {
      const { package: name = "" } = options;
      const secret = SECRETS.find((each) => each in options);
      return {
        ...(secret === undefined
          ? {}
          : { [secret]: "is no option; credentials go into `api_key`." }),
        ...("baseURL" in options
          ? { baseURL: "is no option; it is the channel's `base_url`." }
          : {}),
        ...optionProblem(name),
      };
    },
  },
  adapter: adapterOver(({ baseUrl, options, placeholder, fetch }) => {
    const { package: name = "", create, api, ...rest } = options;
    return {
      package: name,
      ...(create === undefined ? {} : { create }),
      ...(api === undefined ? {} : { api }),
      settings: {
        ...rest,
        apiKey: placeholder,
        fetch,
        ...(baseUrl === "" ? {} : { baseURL: baseUrl }),
      },
    };
  }),
  /** The library sends the placeholder in place of the secret. */
  authorize: () => ({}),
};

const SECRETS = ["apiKey", "api_key", "accessKeyId", "secretAccessKey", "sessionToken", "token"];

function optionProblem(name: string): Readonly<Record<string, string>> {
  if (!PACKAGE_NAME.test(name)) return { package: "is not the name of a package." };
  return isInstalled(name) ? {} : { package: `is not installed; run: npm install ${name}` };
}
