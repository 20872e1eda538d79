import type { Channel } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { FoundModel } from "#core/found-model.ts";
import { readListed } from "#styles/model-list/item-in.ts";
import type { Egress } from "#egress/egress.ts";
import { isArray, isObject, parseJson, type Json } from "#lib/json.ts";
import { findProvider } from "#providers/index.ts";
import { asError } from "../failover/attempt.ts";
import { addressOf, upstreamTerms } from "../failover/upstream-terms.ts";

const MAX_MODELS = 5_000;

/** The models in the upstream's list; the known ones if the vendor has no list. */
export async function askForModels(
  channel: Channel,
  egress: Pick<Egress, "send">,
  signal: AbortSignal,
  credential = channel.credentials[0],
): Promise<readonly FoundModel[]> {
  const provider = findProvider(channel.provider);
  if (provider?.modelsPath === undefined) {
    return (provider?.models ?? []).map((id) => ({ id }));
  }

  const reply = await egress.send({
    url: new URL(addressOf({ channel, provider }) + provider.modelsPath),
    method: "GET",
    ...upstreamTerms({ channel, provider }, credential, "models"),
    ...(provider.headers === undefined ? {} : { headers: provider.headers }),
    isStream: false,
    signal,
  });
  try {
    if (reply.status !== 200) throw await asError(reply, {});
    const body = parseJson(new TextDecoder().decode(await reply.readAll()));
    if (!isArray(body) && !isObject(body)) throw noList(channel);
    return (provider.readModels?.(body) ?? usualModels(body, channel)).slice(0, MAX_MODELS);
  } finally {
    reply.close();
  }
}

function usualModels(body: Json, channel: Channel): readonly FoundModel[] {
  const list = isObject(body) ? body["data"] : body;
  // Some servers send null for an empty list.
  if (list === null) return [];
  if (!isArray(list)) throw noList(channel);
  return list.flatMap(readListed);
}

/** A wrong address often returns a web page with a success status. */
function noList({ provider }: Channel): GatewayError {
  return new GatewayError(
    "upstream_failed",
    `The response is not a list of models: check that base_url is an API of '${provider}'.`,
  );
}
