import { generatesLike } from "./compatible-images.ts";
import { LOCAL_SERVER } from "./local-server.ts";
import type { Provider } from "./provider.ts";

export const ollama: Provider = {
  ...LOCAL_SERVER,
  id: "ollama",
  name: "Ollama",
  docs: "https://github.com/ollama/ollama/blob/main/docs/openai.md",
  baseUrl: "http://127.0.0.1:11434/v1",
  images: [{ ...generatesLike({ takes: ["size"], maxPictures: 0 }), maxInputs: 1 }],
};
