import type { WebSearch } from "#core/chat.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf, memberOf, objectOf } from "#lib/values.ts";
import { parsePlace } from "#styles/text/search-place.ts";
import type { Built } from "#styles/text/request-fields.ts";
import type { ChatDialect } from "./dialect.ts";
import { parseSearchSwitch } from "./parameters.ts";
import { isSearchTool } from "../conversation/search-tools.ts";
import { vendorTools } from "./vendor-members.ts";

/** How a wish to search the web may be written, beside tools that ask for it. */
export const SEARCH_MEMBERS = ["web_search_options", "enable_search", "search_options"] as const;

/** A wish to search the web, in any of the ways to write it: options, a switch, or a vendor's tool. */
export function parseWebSearch(body: JsonObject): WebSearch | undefined {
  const options = body["web_search_options"];
  if (isObject(options)) return parseOptions(options);
  const switched = parseSearchSwitch(body);
  if (switched !== undefined) return switched;
  const isTool = listOf(body["tools"]).some(isSearchTool) || vendorTools(body).search;
  return isTool ? {} : undefined;
}

function parseOptions(options: JsonObject): WebSearch {
  const size = options["search_context_size"];
  const place = memberOf(options["user_location"], "approximate");
  return defined({
    contextSize: size === "low" || size === "medium" || size === "high" ? size : undefined,
    location: isObject(place) ? parsePlace(place) : undefined,
  });
}

/** Many servers of this style search nothing, so the vendor has to declare how it is asked to. */
export function buildWebSearch(
  search: WebSearch,
  model: string,
  { webSearch: way }: ChatDialect,
): Built<JsonObject> {
  if (way === undefined || way === false || way.models?.test(model) === false) {
    return { members: {}, lost: ["web_search"] };
  }
  const { contextSize, location } = search;
  const lost = defined({
    max_uses: search.maxUses,
    allowed_domains: search.allowedDomains,
    blocked_domains: search.blockedDomains,
    ...(way.as === "switch" ? { search_context_size: contextSize, user_location: location } : {}),
  });
  return {
    members:
      way.as === "switch" ? { enable_search: true } : { web_search_options: buildOptions(search) },
    lost: Object.keys(lost).map((name) => `web_search.${name}`),
  };
}

function buildOptions({ contextSize, location }: WebSearch): JsonObject {
  const place: Json | undefined = objectOf(location && { ...location });
  return defined({
    search_context_size: contextSize,
    user_location: place && { type: "approximate", approximate: place },
  });
}
