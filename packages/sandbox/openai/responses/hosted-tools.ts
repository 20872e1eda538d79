import { jsonText, type JsonObject } from "@sluice/sandbox/json.ts";
import { ApiError } from "../error.ts";
import {
  field,
  readChoice,
  readInteger,
  readList,
  readObject,
  readText,
  required,
} from "../fields.ts";

/** How the vendor repeats a web search tool: with everything that was left out. */
export function readWebSearch(tool: JsonObject, type: string, path: string): JsonObject {
  const size = readChoice(field(tool, "search_context_size", `${path}.search_context_size`), [
    "low",
    "medium",
    "high",
  ]);
  const place = readObject(field(tool, "user_location", `${path}.user_location`));
  readChoice(field(place ?? {}, "type", `${path}.user_location.type`), ["approximate"]);
  const filters = readObject(field(tool, "filters", `${path}.filters`));
  readList(field(filters ?? {}, "allowed_domains", `${path}.filters.allowed_domains`), 0, 100);
  return {
    ...tool,
    type,
    ...(type.startsWith("web_search_preview") ? {} : { filters: filters ?? null }),
    search_context_size: size ?? "medium",
    user_location: {
      type: "approximate",
      city: null,
      country: "US",
      region: null,
      timezone: null,
      ...place,
    },
  };
}

/**
 * The vendor's other tools. They are taken where they are complete, and the
 * sandbox's model has no use for them; what they would need to exist does not.
 */
export const HOSTED_TOOLS: Readonly<Record<string, (tool: JsonObject, path: string) => void>> = {
  file_search(tool, path) {
    const ids = field(tool, "vector_store_ids", `${path}.vector_store_ids`);
    const [first] = required(ids, readList(ids, 1, 2));
    readInteger(field(tool, "max_num_results", `${path}.max_num_results`), 1, 50);
    throw new ApiError(404, {
      message: `Vector store with id '${jsonText(first)}' not found.`,
      param: "tools",
    });
  },
  code_interpreter(tool, path) {
    const { value } = field(tool, "container", `${path}.container`);
    required({ path: `${path}.container`, value }, value);
  },
  mcp(tool, path) {
    const label = field(tool, "server_label", `${path}.server_label`);
    required(label, readText(label));
    const address = tool["server_url"] ?? tool["connector_id"];
    required({ path: `${path}.server_url`, value: address }, address ?? undefined);
  },
  computer_use_preview(tool, path) {
    for (const name of ["display_width", "display_height", "environment"]) {
      const part = field(tool, name, `${path}.${name}`);
      required(part, part.value);
    }
  },
  computer: () => undefined,
  image_generation: () => undefined,
  local_shell: () => undefined,
  shell: () => undefined,
  apply_patch: () => undefined,
  tool_search: () => undefined,
  programmatic_tool_calling: () => undefined,
};
