import type { MapNode } from "./tree.ts";

const SQLITE = "SQLite format 3\0";
const LITELLM = ["model_list", "litellm_settings", "router_settings", "litellm_params"];
/** Variables of one-api and its relatives, in a file of variables or of Docker Compose. */
const ONE_API =
  /^\s*-?\s*(?:export\s+)?["']?(?:SQL_DSN|CRYPTO_SECRET|BATCH_UPDATE_ENABLED|MEMORY_CACHE_ENABLED|CHANNEL_UPDATE_FREQUENCY)["']?\s*[=:]|image:\s*\S*(?:new-api|one-api|one-hub)/m;

/**
 * The command that imports a file of another gateway that was given as ours; undefined for any
 * other file.
 */
export function importFor(
  bytes: Uint8Array,
  { members }: MapNode,
  path: string,
): string | undefined {
  const head = new TextDecoder().decode(bytes.subarray(0, SQLITE.length));
  if (head === SQLITE) {
    return `is a database, not a configuration. If it is one of new-api: sluice import new-api ${path}`;
  }
  if (LITELLM.some((name) => members.has(name))) {
    return `is a configuration of LiteLLM. Import it with: sluice import litellm ${path}`;
  }
  if (members.has("targets") && (members.has("strategy") || members.has("retry"))) {
    return `is a config of Portkey. Import it with: sluice import portkey ${path}`;
  }
  if (ONE_API.test(new TextDecoder().decode(bytes))) {
    return "is a configuration of new-api, one-api or one-hub, whose data is in its database. Import that with: sluice import new-api <its SQL_DSN>";
  }
  return undefined;
}
