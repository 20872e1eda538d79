import type { JsonObject } from "#lib/json.ts";
import { memberOf, objectOf, textOf } from "#lib/values.ts";
import { ROOT, asUser, textIn } from "#test/accounts.ts";
import { arkChannel, errorIn, openAssetVendor, type AssetVendor } from "#test/asset-vendor.ts";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

/** A gateway before a vendor that keeps assets. */
export interface AssetPlace extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly at: AssetVendor;
  /** Has an action done. */
  act(action: string, body?: unknown, key?: string): Promise<Acted>;
  /** The id of an asset that may be referred to. */
  active(more?: object, key?: string): Promise<string>;
  /** A key of another user's. */
  keyOf(username: string, endpoints?: readonly string[]): Promise<string>;
}

interface Acted {
  readonly status: number;
  readonly body: JsonObject;
  readonly result: JsonObject;
  readonly error: { readonly code: string; readonly message: string };
}

export const ASSETS = "/videoa/api/v3/assets";
export const PUBLIC_URL = "https://gate.example.com";
export const SEEDANCE = "doubao-seedance-2-0-260128";

export async function openAssetPlace({
  yaml,
  env = {},
  more = "",
}: {
  /** Instead of the one channel with a library. */
  readonly yaml?: string;
  /** Behind it. */
  readonly more?: string;
  readonly env?: Readonly<Record<string, string>>;
} = {}): Promise<AssetPlace> {
  const at = openAssetVendor();
  const gateway = await openTestGateway({
    yaml: yaml ?? `channels:\n${arkChannel(at.vendor.url)}\n${more}`,
    env: {
      SLUICE_ADMIN_EMAIL: ROOT.email,
      SLUICE_ADMIN_PASSWORD: ROOT.password,
      SLUICE_PUBLIC_URL: PUBLIC_URL,
      SLUICE_LIMIT_ATTEMPTS: "1",
      ...env,
    },
  });

  async function act(action: string, body: unknown = {}, key = KEY): Promise<Acted> {
    const query = action === "" ? "" : `?Action=${action}&Version=2024-01-01`;
    const response = await gateway.post(`${ASSETS}${query}`, body, {
      authorization: `Bearer ${key}`,
    });
    const answer = (await response.json()) as JsonObject;
    const result = objectOf(answer["Result"]) ?? {};
    return { status: response.status, body: answer, result, error: errorIn(answer) };
  }

  return {
    gateway,
    at,
    act,
    async active(fields = {}, key = KEY) {
      const group = await act("CreateAssetGroup", { Name: "films" }, key);
      const draft = { URL: "https://example.com/a.png", AssetType: "image", ...fields };
      const made = await act("CreateAsset", { GroupId: group.result["Id"], ...draft }, key);
      const id = textOf(made.result["Id"]) ?? "";
      const asset = at.assets.get(id);
      if (asset !== undefined) asset.status = "Active";
      await waitFor(async () => {
        const { result } = await act("GetAsset", { Id: id }, key);
        return result["Status"] === "active";
      });
      return id;
    },
    async keyOf(username, endpoints) {
      const ask = await asUser(gateway.url, username);
      return textIn(
        (await ask("POST", "/api/token", { name: "theirs", ...(endpoints && { endpoints }) })).data,
        "key",
      );
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await at[Symbol.asyncDispose]();
    },
  };
}

export function itemsOf({ result }: Acted): readonly string[] {
  const items = result["Items"];
  return Array.isArray(items) ? items.map((each) => textOf(memberOf(each, "Name")) ?? "") : [];
}
