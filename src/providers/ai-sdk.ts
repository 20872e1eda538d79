import { adapterOver } from "./ai-sdk/adapter.ts";
import { isInstalled, PACKAGE_NAME } from "./ai-sdk/load.ts";
import type { Provider } from "./provider.ts";

/**
 * Any vendor for whom there is a package of the AI SDK's kind: the channel
 * names it, and what it says beside is passed on to the package. The secret is
 * not among it: the package gets a placeholder, which is replaced on the way out.
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
        ...objectionTo(name),
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
  /** The placeholder stands where the secret belongs. */
  authorize: () => ({}),
};

const SECRETS = ["apiKey", "api_key", "accessKeyId", "secretAccessKey", "sessionToken", "token"];

function objectionTo(name: string): Readonly<Record<string, string>> {
  if (!PACKAGE_NAME.test(name)) return { package: "is not the name of a package." };
  return isInstalled(name) ? {} : { package: `is not installed; run: npm install ${name}` };
}
