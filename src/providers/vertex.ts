import { chat } from "#styles/text/chat/index.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import type { ChannelOptions } from "#core/channel.ts";
import { claudeHeadersWithoutVersion } from "./claude-headers.ts";
import { nativePictures, onlyDraws } from "./native-pictures.ts";
import { nativeVideos } from "./native-videos.ts";
import type { Provider } from "./provider.ts";
import { serviceAccount } from "./vertex/service-account.ts";

/** The API version that this host takes in the body, in place of the header. */
const MESSAGES_VERSION = "vertex-2023-10-16";
const HOST = "aiplatform.googleapis.com";
/** Values for images; the vendor accepts both words for none. */
const PEOPLE = {
  allow_adult: "ALLOW_ADULT",
  allow_all: "ALLOW_ALL",
  allow_none: "ALLOW_NONE",
  dont_allow: "ALLOW_NONE",
};
/** Values for videos. */
const FILMED = ["dont_allow", "allow_adult", "allow_all"];
const FILM_MEMBERS = ["addWatermark", "compressionQuality", "resizeMode"] as const;

/**
 * Google's models in the native style, Anthropic's in the messages style, and all others
 * (`maker/model`) in the chat style. A credential is an API key, an access token, or the JSON of a
 * service account, which is exchanged for access tokens.
 */
export const vertex: Provider = {
  id: "vertex",
  name: "Google Vertex AI",
  prefixes: ["vertex_ai"],
  docs: "https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference",
  baseUrlOf({ location = "global" }) {
    return location === "global" ? `https://${HOST}` : `https://${location}-${HOST}`;
  },
  needsKey: true,
  needsModels: true,
  options: {
    optional: {
      project: "the id of the project; without it, models are asked for by API key alone",
      location: "a region, or `global`",
    },
    optionProblems(options) {
      if ("location" in options && !("project" in options)) {
        return { location: 'belongs to a project: "options.project" is missing.' };
      }
      const odd = Object.entries(options).filter(([, value]) => !/^[a-z0-9:.-]{1,64}$/.test(value));
      return Object.fromEntries(odd.map(([name]) => [name, `is not the name of a ${name}.`]));
    },
  },
  text: [
    {
      style: gemini,
      serves: (model) => !isClaude(model) && !onlyDraws(model) && !model.includes("/"),
      path: (model, stream, options) =>
        `${under(options)}/publishers/google/models/${encodeURIComponent(model)}:` +
        (stream ? "streamGenerateContent?alt=sse" : "generateContent"),
      isFaithful: true,
      inlines: ["image", "audio", "video", "file"],
    },
    {
      style: messages,
      serves: isClaude,
      path: (model, stream, options) =>
        `${under(options)}/publishers/anthropic/models/${model}:` +
        (stream ? "streamRawPredict" : "rawPredict"),
      isFaithful: true,
      adaptRequest: () => ({ model: undefined, anthropic_version: MESSAGES_VERSION }),
      headers: claudeHeadersWithoutVersion,
    },
    {
      style: chat,
      serves: (model) => model.includes("/"),
      path: (_model, _stream, options) => `${under(options)}/endpoints/openapi/chat/completions`,
      isFaithful: true,
    },
  ],
  images: nativePictures({
    path: (model, verb, options) =>
      `${under(options)}/publishers/google/models/${encodeURIComponent(model)}:${verb}`,
    native: { people: PEOPLE, formats: ["png", "jpeg"] },
    imagen: { sizeMember: "sampleImageSize", takesMore: true },
  }),
  videos: nativeVideos({
    path: (model, options) =>
      `${under(options)}/publishers/google/models/${encodeURIComponent(model)}:predictLongRunning`,
    look: {
      method: "POST",
      path: ({ upstreamId }) => `/v1/${modelOf(upstreamId)}:fetchPredictOperation`,
      body: ({ upstreamId }) => ({ operationName: upstreamId }),
    },
    canBeSilent: true,
    dialect: {
      videoAs: "bytes",
      maxCount: 4,
      saysCount: true,
      takes: FILM_MEMBERS,
      people: { withoutPictures: FILMED, withPictures: FILMED },
    },
    second: { rewrites: true, takes: [...FILM_MEMBERS, "fps"] },
  }),
  exchange: serviceAccount,
  authorize: (secret) =>
    isApiKey(secret) ? { "x-goog-api-key": secret } : { authorization: `Bearer ${secret}` },

  /** Versions follow an `@` here. */
  knownAs: (model) => model.replace("@", "-").replace(/^[^/]*\//, ""),
};

function isClaude(model: string): boolean {
  return model.startsWith("claude");
}

/** An operation's name starts with the path of its model, in any location. */
function modelOf(operation: string): string {
  return operation.slice(0, operation.lastIndexOf("/operations/"));
}

function under({ project, location = "global" }: ChannelOptions): string {
  return project === undefined ? "/v1" : `/v1/projects/${project}/locations/${location}`;
}

/** Both kinds of the vendor's API keys have fixed prefixes. */
function isApiKey(secret: string): boolean {
  return secret.startsWith("AIza") || secret.startsWith("AQ.");
}
