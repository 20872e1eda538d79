import { LOCAL_SERVER } from "./local-server.ts";
import type { Provider } from "./provider.ts";

export const lmStudio: Provider = {
  ...LOCAL_SERVER,
  id: "lm-studio",
  name: "LM Studio",
  docs: "https://lmstudio.ai/docs",
  baseUrl: "http://127.0.0.1:1234/v1",
};
