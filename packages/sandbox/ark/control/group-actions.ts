import { groupBody } from "../assets/bodies.ts";
import { GROUP_TYPES, type AssetGroup, type GroupWords } from "../assets/group-table.ts";
import type { AssetLibrary } from "../assets/library.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import { field, readChoice, readText, required } from "@sluice/sandbox/openai/fields.ts";
import type { Action, Call } from "./call.ts";
import { invalidParameter, notFound } from "./error.ts";
import { pageOf, readFilter, sorted, wantedIn } from "./pages.ts";

/** Operations on groups of assets. */
export function groupActions({ groups, assets }: AssetLibrary) {
  function getGroup({ body, place }: Call, name = "Id"): AssetGroup {
    const id = required(field(body, name), readText(field(body, name)));
    const group = groups.find(id, place);
    if (group === undefined) throw notFound("asset group", id);
    return group;
  }

  const actions = {
    CreateAssetGroup({ body, place }) {
      const name = required(field(body, "Name"), readText(field(body, "Name")));
      const words = readWords(body);
      const type = readChoice(field(body, "GroupType"), GROUP_TYPES) ?? "AIGC";
      if (type !== "AIGC")
        throw invalidParameter("GroupType", "only groups of the type AIGC can be created");
      return { Id: groups.add(place, type, { ...words, name }).id };
    },
    GetAssetGroup: (call) => groupBody(getGroup(call)),
    ListAssetGroups({ body, place }) {
      const filter = readFilter(body);
      const kind = field(filter, "GroupType", "Filter.GroupType");
      const type = required(kind, readChoice(kind, GROUP_TYPES));
      const part = readText(field(filter, "Name", "Filter.Name")) ?? "";
      const isWanted = wantedIn(filter, "GroupIds");
      const found = groups
        .list(place)
        .filter((group) => group.type === type && isWanted(group.id) && group.name.includes(part))
        .toReversed()
        .map(groupBody);
      return pageOf(sorted(found, body, ["CreateTime", "UpdateTime"]), body, DEEPEST);
    },
    UpdateAssetGroup(call) {
      const group = getGroup(call);
      groups.change(group, readWords(call.body));
      return { Id: group.id };
    },
    /** With all that lies in it. */
    DeleteAssetGroup(call) {
      const group = getGroup(call);
      for (const asset of assets.list(call.place))
        if (asset.requested.groupId === group.id) assets.remove(asset);
      groups.remove(group);
      return {};
    },
  } satisfies Readonly<Record<string, Action>>;
  return { actions, getGroup };
}

const DEEPEST = 10_000;

function readWords(body: JsonObject): Partial<GroupWords> {
  const name = readText(field(body, "Name"), 64);
  const title = readText(field(body, "Title"));
  const description = readText(field(body, "Description"), 300);
  return {
    ...(name === undefined ? {} : { name }),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  };
}
