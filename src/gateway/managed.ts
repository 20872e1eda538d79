import { readDescribedChannel, readDescribedGroup, readDescribedModel } from "#config/described.ts";
import { openImporter } from "#config/import/importer.ts";
import { openConfiguration } from "#config/managed/configuration.ts";
import type { Configuration, DescribedStores } from "#core/configuration.ts";
import type { Importer } from "#core/import.ts";
import { reachNeeded } from "#egress/reach.ts";
import { PROVIDERS } from "#providers/index.ts";
import { requirementsOf } from "#providers/provider.ts";
import type { Infrastructure, Stores } from "./infrastructure.ts";
import type { Routing } from "./routing.ts";

export const KNOWN_PROVIDERS = PROVIDERS.map(requirementsOf);

/** Opens the whole configuration as one document. */
export function openManaged({
  storage,
  clock,
  live,
  channelRegistry,
}: Pick<Infrastructure, "clock" | "live"> &
  Pick<Routing, "channelRegistry"> &
  Stores<keyof DescribedStores | "atomically">): Configuration {
  return openConfiguration({
    stores: storage,
    atomically: storage.atomically,
    providers: KNOWN_PROVIDERS,
    clock,
    reachNeeded,
    ownerOf: (section, name) =>
      section === "settings" ? live.ownerOf(name) : channelRegistry.ownerOf(section, name),
    async onApplied() {
      await live.load();
      await channelRegistry.load();
    },
  });
}

/** Opens the imports from other gateways. */
export function openImports({
  storage,
  clock,
  channelRegistry,
}: Pick<Infrastructure, "clock"> & Pick<Routing, "channelRegistry"> & Stores<"imports">): Importer {
  return openImporter({
    storage: storage.imports,
    clock,
    readChannel: (json, terms) => readDescribedChannel(json, KNOWN_PROVIDERS, terms),
    readModel: readDescribedModel,
    readGroup: readDescribedGroup,
    reachNeeded,
    ownerOf: (section, name) => channelRegistry.ownerOf(section, name),
    onApplied: () => channelRegistry.load(),
  });
}
