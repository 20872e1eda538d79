import { unknownModel } from "#relay/routing/unknown-model.ts";
import { chatModelList } from "#styles/model-list/chat.ts";
import { messagesModelList } from "#styles/model-list/messages.ts";
import type { ModelListStyle, ShownModel } from "#styles/model-list/model-list.ts";
import { cloudModelList, nativeModelList } from "#styles/model-list/native.ts";
import { CLOUD_PREFIXES } from "./text/native-prefixes.ts";
import { callerStyle, type CallerStyle } from "../caller-style.ts";
import type { HttpDeps } from "../deps.ts";
import { json } from "../json.ts";
import type { Exchange, Route } from "../routes.ts";
import { requireKey } from "../require-key.ts";
import { throttle } from "../throttle.ts";

export const listModels: Route<HttpDeps> = {
  method: "GET",
  path: "/v1/models",
  access: "key",
  summary: "Lists the models this key may use, in the style that the request's headers ask for.",
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

export const getModel: Route<HttpDeps> = {
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
export const listNativeModels: Route<HttpDeps> = {
  ...listModels,
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

export const getNativeModel: Route<HttpDeps> = {
  ...listNativeModels,
  path: "/v1beta/models/:id{.+}",
  summary: "One model in the native style, if this key may use it.",
  async handle(exchange, deps) {
    await throttle(exchange, deps);
    return json(nativeModelList.one(find(exchange, deps), deps.clock.now()), exchange.id);
  },
};

/** The same for clients of the vendor's cloud, which name models with their publisher. */
export const cloudModels: readonly Route<HttpDeps>[] = CLOUD_PREFIXES.flatMap((prefix) => [
  {
    ...listNativeModels,
    path: `${prefix}/models`,
    handle(exchange, deps) {
      const models = deps.channels.list(requireKey(exchange));
      const { query } = exchange;
      return json(cloudModelList.list(models, { query, now: deps.clock.now() }), exchange.id);
    },
  },
  {
    ...getNativeModel,
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

function find(exchange: Exchange, deps: HttpDeps): ShownModel {
  const id = modelId(exchange);
  const found = deps.channels.describe(requireKey(exchange), id);
  if (found !== undefined) return found;
  throw unknownModel(requireKey(exchange), id, deps.channels);
}

function modelId(exchange: Exchange): string {
  const id = exchange.param("id");
  return id.startsWith("models/") ? id.slice("models/".length) : id;
}
