import { GatewayError } from "#core/error.ts";
import type { ChannelOptions } from "#core/channel.ts";
import { signVolcengine } from "#lib/sigv4.ts";
import { assetActions } from "#styles/asset/outbound.ts";
import { readCredential } from "./ark/credential.ts";
import type { AssetService, ProviderOptions } from "./provider.ts";

const HOUR_MS = 3_600_000;
const SERVICE = "ark";

/** Signing regions of the asset library, by the region of the models. */
const REGIONS: readonly {
  readonly models: RegExp;
  readonly url: string;
  readonly region: string;
}[] = [
  {
    models: /(^|\.)volces\.com$/,
    url: "https://open.volcengineapi.com",
    region: "cn-beijing",
  },
  {
    models: /(^|\.)(bytepluses|byteplusapi)\.com$/,
    url: "https://ark.ap-southeast-1.byteplusapi.com",
    region: "ap-southeast-1",
  },
];

export const ARK_OPTIONS: ProviderOptions = {
  optional: {
    project: "the project that the models' endpoints and the assets belong to",
    assets_url: "where the asset library answers, if it is not the vendor's own",
    assets_region: "the region that requests to the asset library are signed for",
  },
  optionProblems({ assets_url: url, assets_region: region, project }) {
    const parsed = url === undefined ? undefined : URL.parse(url);
    const isWeb = parsed?.protocol === "https:" || parsed?.protocol === "http:";
    return {
      ...(url !== undefined && (!isWeb || parsed.search !== "" || parsed.hash !== "")
        ? { assets_url: "is not an address." }
        : {}),
      ...(region !== undefined && !/^[a-z0-9-]{1,64}$/.test(region)
        ? { assets_region: "is not the name of a region." }
        : {}),
      ...(project !== undefined && !/^[\w.-]{1,128}$/.test(project)
        ? { project: "is not the name of a project." }
        : {}),
    };
  },
};

/** Asset groups, assets and verifications of persons: https://www.volcengine.com/docs/82379/2333565 */
export const ARK_ASSETS: AssetService = {
  style: assetActions,
  // Undefined for an unknown host: the credential of a compatible server is never sent to the
  // vendor.
  urlOf: ({ baseUrl, options = {} }) => options["assets_url"] ?? placeOf(baseUrl)?.url,
  membersOf: ({ project }) => (project === undefined ? {} : { ProjectName: project }),
  hasKey: (secret) => readCredential(secret).pair !== undefined,
  linksLastMs: 12 * HOUR_MS,
  authorize(secret, { at, options, ...request }) {
    const { pair } = readCredential(secret);
    if (pair === undefined) {
      throw new GatewayError("upstream_auth", "This channel's credential holds no access key.");
    }
    const { accessKey: accessKeyId, secretKey: secretAccessKey, sessionToken } = pair;
    return signVolcengine(
      request,
      { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
      { region: regionOf(request.url, options), service: SERVICE, at, sign: ["content-type"] },
    );
  },
};

function placeOf(baseUrl: string) {
  const host = URL.parse(baseUrl)?.hostname ?? "";
  return REGIONS.find(({ models }) => models.test(host));
}

function regionOf({ hostname }: URL, { assets_region: region }: ChannelOptions): string {
  const found = REGIONS.find(({ url }) => new URL(url).hostname === hostname);
  return region ?? found?.region ?? "cn-beijing";
}
