import type { Channel } from "#core/channel.ts";
import type { Egress } from "#egress/egress.ts";
import { isArray, isObject, parseJson, type Json } from "#lib/json.ts";
import { findProvider } from "#providers/index.ts";

const MAX_MODELS = 5_000;

/** The models that a channel's upstream says it has; none where the vendor has no list. */
export async function askForModels(
  channel: Channel,
  egress: Egress,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const provider = findProvider(channel.provider);
  if (provider?.modelsPath === undefined) return [];

  const reply = await egress.send({
    url: new URL(channel.baseUrl + provider.modelsPath),
    method: "GET",
    pool: `${channel.name}/models`,
    credential: channel.credentials[0],
    authorize: provider.authorize,
    ...(provider.headers === undefined ? {} : { headers: provider.headers }),
    isStream: false,
    signal,
  });
  try {
    const body = parseJson(new TextDecoder().decode(await reply.readAll()));
    if (reply.status !== 200) throw new Error(`The upstream answered ${reply.status}.`);
    const ids = body === undefined ? [] : (provider.readModels?.(body) ?? usualIds(body));
    return ids.slice(0, MAX_MODELS);
  } finally {
    reply.close();
  }
}

function usualIds(body: Json): readonly string[] {
  const list = isObject(body) ? body["data"] : body;
  const ids = (isArray(list) ? list : []).map((each) => (isObject(each) ? each["id"] : undefined));
  return ids.filter((id) => typeof id === "string");
}
