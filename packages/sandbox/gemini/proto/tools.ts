import { message, repeated } from "./message.ts";
import { schema } from "./schema.ts";
import { anyValue, boolean, double, enumeration, struct, text, type Reader } from "./scalars.ts";

const functionDeclaration = message("FunctionDeclaration", {
  name: text,
  description: text,
  parameters: schema,
  parametersJsonSchema: anyValue,
  response: schema,
  responseJsonSchema: anyValue,
  behavior: enumeration("FunctionDeclaration.Behavior", [
    "UNSPECIFIED",
    "BLOCKING",
    "NON_BLOCKING",
  ]),
});

/** https://ai.google.dev/api/caching#Tool; of the tools that run at the vendor only those that the sandbox plays are looked into. */
export const tool = message("Tool", {
  functionDeclarations: repeated(functionDeclaration),
  googleSearch: struct,
  googleSearchRetrieval: struct,
  codeExecution: message("CodeExecution", {}),
  urlContext: message("UrlContext", {}),
  fileSearch: struct,
  googleMaps: struct,
  computerUse: struct,
  mcpServers: repeated(struct),
});

export const toolConfig = message("ToolConfig", {
  functionCallingConfig: message("FunctionCallingConfig", {
    mode: enumeration("FunctionCallingConfig.Mode", [
      "MODE_UNSPECIFIED",
      "AUTO",
      "ANY",
      "NONE",
      "VALIDATED",
    ]),
    allowedFunctionNames: repeated(text),
  }),
  retrievalConfig: message("RetrievalConfig", {
    latLng: message("LatLng", { latitude: double, longitude: double }),
    languageCode: text,
  }),
  includeServerSideToolInvocations: boolean,
});

export type FunctionDeclaration = Read<typeof functionDeclaration>;
export type ToolMessage = Read<typeof tool>;
export type ToolConfig = Read<typeof toolConfig>;

type Read<Each> = Each extends Reader<infer Value> ? Value : never;
