import type { Asset } from "#core/asset.ts";
import { VERIFY_PATH } from "#http/api/asset/verify-return.ts";
import { deriveKey } from "#lib/derive-key.ts";
import { openSeal } from "#lib/seal.ts";
import type { CallbackDeps } from "#relay/assets/process-callbacks.ts";
import { Library } from "#relay/assets/library.ts";
import { OwnFiles } from "#relay/assets/local-files.ts";
import { OwnLinks } from "#relay/assets/signed-urls.ts";
import type { ReferenceDeps } from "#relay/assets/references.ts";
import { Verifications, type VerificationDeps } from "#relay/assets/verifications.ts";
import type { WatchDeps } from "#relay/assets/refresh-due.ts";
import { digestOf } from "#storage/secrets/secrets.ts";
import type { Infrastructure, Stores } from "./infrastructure.ts";
import type { Links } from "./links.ts";
import type { Media } from "./media.ts";
import type { Routing } from "./routing.ts";

type Needs = Pick<
  Infrastructure,
  "problems" | "clock" | "pepper" | "settings" | "egress" | "publicUrl" | "own"
> &
  Stores<"assets" | "identitySessions" | "noticeSecrets"> &
  Pick<Routing, "channels"> &
  Pick<Links, "links" | "linkedFiles"> &
  Pick<Media, "mediaPlace" | "stores">;

export interface Assets {
  readonly library: Library;
  readonly assetFiles: OwnFiles;
  readonly assetLinks: OwnLinks;
  readonly verifications: Verifications;
  /** Resolves asset references in task requests. */
  readonly references: ReferenceDeps;
  /** Dependencies of the background jobs for assets. */
  readonly assetWork: WatchDeps & CallbackDeps;
}

/** Opens the asset library, with files at vendors or here, and the verification of persons. */
export function openAssets(needs: Needs): Assets {
  const { clock, pepper, storage, settings, egress, publicUrl, channels, links } = needs;
  const { limits } = settings;
  const keeping = { assets: storage.assets, clock };
  const assetFiles = new OwnFiles({
    ...keeping,
    files: needs.linkedFiles,
    stores: needs.stores,
    store: needs.mediaPlace ?? "folder",
    get maxPixels() {
      return limits.picturePixels;
    },
    limits,
  });
  const assetLinks = new OwnLinks({
    ...keeping,
    files: assetFiles,
    key: deriveKey(pepper, "links to assets"),
    publicUrl,
  });
  const shared = { ...keeping, egress, listChannels: () => channels.all };
  const work: WatchDeps & CallbackDeps & VerificationDeps = {
    ...shared,
    sessions: storage.identitySessions,
    seal: openSeal(pepper, "verifications of persons"),
    links,
    digest: (word) => digestOf(`verification of a person:${word}`, pepper),
    returnUrlFor(word, { isSimulated }) {
      // Browsers open the simulator's pages on this machine.
      const base = publicUrl ?? (isSimulated ? needs.own.url : undefined);
      return base && `${base}${VERIFY_PATH}/${word}`;
    },
    secrets: storage.noticeSecrets,
    takeIn: (asset, signal) => assetFiles.takeIn(asset, signal),
    letGo: (asset) => assetFiles.letGo(asset),
    onError: (cause) => needs.problems.error("assets", cause, "asset operation failed"),
  };
  return {
    library: new Library({
      ...shared,
      links,
      limits,
      ownLinkTo: (asset) => assetLinks.linkTo(asset),
      files: assetFiles,
    }),
    assetFiles,
    assetLinks,
    verifications: new Verifications(work),
    references: { ...shared, originOf: (asset: Asset) => assetLinks.originOf(asset) },
    assetWork: work,
  };
}
