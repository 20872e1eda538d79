import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import { unknownModel } from "#relay/routing/unknown-model.ts";
import { chatModelList } from "#styles/model-list/chat.ts";
import { messagesModelList } from "#styles/model-list/messages.ts";
import type { ModelListStyle, ShownModel } from "#styles/model-list/model-list.ts";
import { cloudModelList, nativeModelList } from "#styles/model-list/native.ts";
import { CLOUD_PREFIXES } from "./text/native-prefixes.ts";
import { suffixOf } from "./text/path-suffix.ts";
import { callerStyle, type CallerStyle } from "../caller-style.ts";
import { jsonAnswer } from "../answer.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import { json } from "../json.ts";
import type { Exchange, Endpoint } from "../routes.ts";
import { requireKey } from "../require-key.ts";
import { throttle } from "../throttle.ts";

type ModelListDeps = Pick<RoutingDeps, "channels" | "relay" | "clock">;

const MODEL = z.looseObject({ id: z.string() }).meta({ id: "Model" });
const MODELS = z.looseObject({ data: z.array(MODEL) }).meta({ id: "Models" });
const NATIVE_MODEL = z
  .looseObject({ name: z.string(), supportedGenerationMethods: z.array(z.string()) })
  .meta({ id: "NativeModel" });
const NATIVE_MODELS = z
  .looseObject({ models: z.array(NATIVE_MODEL), nextPageToken: z.string().optional() })
  .meta({ id: "NativeModels" });
const CLOUD_MODEL = z
  .looseObject({ name: z.string(), versionId: z.string() })
  .meta({ id: "CloudModel" });

const NATIVE_QUERY = z.object({
  pageSize: z.string().optional().meta({ type: "integer", minimum: 1, maximum: 1_000 }),
  pageToken: z.string().optional().describe("The `nextPageToken` of the previous page."),
});
const LIST_QUERY = NATIVE_QUERY.extend({
  limit: z
    .string()
    .optional()
    .meta({ type: "integer", minimum: 1, maximum: 1_000, description: "In the messages style." }),
  after_id: z.string().optional().describe("In the messages style: the last id of a page."),
  before_id: z.string().optional().describe("In the messages style: the first id of a page."),
});

export const listModels: Endpoint<ModelListDeps> = {
  operationId: "listModels",
  tag: "Models",
  query: LIST_QUERY,
  answer: jsonAnswer(z.union([MODELS, NATIVE_MODELS])),
  method: "GET",
  path: "/v1/models",
  access: "key",
  summary: "Lists the models this key may use, in the style of the request's headers.",
  renderError: (error, request) => styleFor(request).buildError(error),

  async handle(exchange, deps) {
    await throttle(exchange, deps);
    const models = deps.channels.list(requireKey(exchange));
    const { query } = exchange;
    return json(
      styleFor(exchange.request).list(models, { query, now: deps.clock.now() }),
      exchange.id,
    );
  },
};

export const getModel: Endpoint<ModelListDeps> = {
  operationId: "getModel",
  tag: "Models",
  answer: jsonAnswer(z.union([MODEL, NATIVE_MODEL])),
  method: "GET",
  // Ids of resold models contain slashes: `meta-llama/llama-3.3-70b-instruct`.
  path: "/v1/models/:id{.+}",
  access: "key",
  summary: "One model, if this key may use it.",
  renderError: listModels.renderError,

  async handle(exchange, deps) {
    await throttle(exchange, deps);
    return json(
      styleFor(exchange.request).one(find(exchange, deps), deps.clock.now()),
      exchange.id,
    );
  },
};

/** Below the prefix of the native style, the path decides the style. */
export const listNativeModels: Endpoint<ModelListDeps> = {
  ...listModels,
  operationId: "listNativeModels",
  query: NATIVE_QUERY,
  answer: jsonAnswer(NATIVE_MODELS),
  path: "/v1beta/models",
  summary: "Lists the models this key may use, in the native style.",
  renderError: (error) => nativeModelList.buildError(error),

  async handle(exchange, deps) {
    await throttle(exchange, deps);
    const models = deps.channels.list(requireKey(exchange));
    const { query } = exchange;
    return json(nativeModelList.list(models, { query, now: deps.clock.now() }), exchange.id);
  },
};

export const getNativeModel: Endpoint<ModelListDeps> = {
  method: "GET",
  access: "key",
  renderError: listNativeModels.renderError,
  operationId: "getNativeModel",
  tag: "Models",
  answer: jsonAnswer(NATIVE_MODEL),
  path: "/v1beta/models/:id{.+}",
  summary: "One model in the native style, if this key may use it.",
  async handle(exchange, deps) {
    await throttle(exchange, deps);
    return json(nativeModelList.one(find(exchange, deps), deps.clock.now()), exchange.id);
  },
};

/** The same for clients of the vendor's cloud, which name models with their publisher. */
export const cloudModels: readonly Endpoint<ModelListDeps>[] = CLOUD_PREFIXES.flatMap((prefix) => [
  {
    ...listNativeModels,
    operationId: `listModels${suffixOf(prefix)}`,
    answer: jsonAnswer(z.looseObject({ publisherModels: z.array(CLOUD_MODEL) })),
    path: `${prefix}/models`,
    handle(exchange, deps) {
      const models = deps.channels.list(requireKey(exchange));
      const { query } = exchange;
      return json(cloudModelList.list(models, { query, now: deps.clock.now() }), exchange.id);
    },
  },
  {
    ...getNativeModel,
    operationId: `getModel${suffixOf(prefix)}`,
    answer: jsonAnswer(CLOUD_MODEL),
    path: `${prefix}/models/:id{.+}`,
    handle: (exchange, deps) =>
      json(cloudModelList.one(find(exchange, deps), deps.clock.now()), exchange.id),
  },
]);

const STYLES: Readonly<Record<CallerStyle, ModelListStyle>> = {
  chat: chatModelList,
  messages: messagesModelList,
  native: nativeModelList,
};

function styleFor(request: Request): ModelListStyle {
  return STYLES[callerStyle(request)];
}

function find(exchange: Exchange, deps: Pick<ModelListDeps, "channels">): ShownModel {
  const id = modelId(exchange);
  const found = deps.channels.describe(requireKey(exchange), id);
  if (found !== undefined) return found;
  if (OPERATION.test(id)) {
    exchange.announce({ allow: "POST" });
    throw new GatewayError(
      "method_not_allowed",
      `Method not allowed: ${exchange.request.method} of an operation on a model. This path takes POST.`,
    );
  }
  throw unknownModel(requireKey(exchange), id, deps.channels);
}

/** The end of a native operation's path; an id of a model may contain a colon, too. */
const OPERATION =
  /:(generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents|predict|predictLongRunning|fetchPredictOperation)$/;

function modelId(exchange: Exchange): string {
  const id = exchange.param("id");
  return id.startsWith("models/") ? id.slice("models/".length) : id;
}
