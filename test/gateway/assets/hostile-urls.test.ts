import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openCanaries, type Canaries } from "#test/egress/canaries.ts";
import { hostileUrls } from "#test/egress/hostile-urls.ts";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { openVendor, type Vendor } from "#test/adapter/vendor.ts";
import { waitFor } from "#test/wait.ts";
import { openFileServer, type FileServer } from "../videos/content-place.ts";
import { openAssetPlace, SEEDANCE, type AssetPlace } from "./asset-place.ts";

const VEO = "veo-3.1-generate-preview";
const AT_ONCE = 20;
/** The one address of this machine that links may lead to. */
const OPEN = "127.0.0.9";

let canaries: Canaries;
let files: FileServer;
let vendor: Vendor;
let place: AssetPlace;
let urls: readonly string[];
beforeAll(async () => {
  canaries = await openCanaries();
  files = openFileServer(OPEN);
  vendor = openVendor(() => Response.json({ name: "models/x/operations/1" }));
  place = await openAssetPlace({
    more: `  - { name: gemini, provider: gemini, base_url: "${vendor.url}", api_key: other-key, models: [${VEO}] }`,
    env: {
      // Everything but the address is open to them.
      SLUICE_LINKS_ALLOW: OPEN,
      SLUICE_LINKS_PORTS: `80,443,${canaries.port},${new URL(files.url).port}`,
      SLUICE_LIMIT_LINK_MS: "2s",
    },
  });
  urls = hostileUrls(canaries.port).map(({ url }) => url);
});
afterAll(async () => {
  await place[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
  await files[Symbol.asyncDispose]();
  await canaries[Symbol.asyncDispose]();
});

/** Each in turn, a few at a time. */
async function withEach(
  all: readonly string[],
  ask: (url: string) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < all.length; at += AT_ONCE) {
    await Promise.all(all.slice(at, at + AT_ONCE).map(ask));
  }
}

describe("a private address, in any notation, is never connected to", () => {
  test("the list contains hundreds of addresses", () => {
    expect(urls.length).toBeGreaterThan(300);
  });

  test("as an asset of a vendor: it is not sent to the vendor either", async () => {
    const group = await place.act("CreateAssetGroup", { Name: "films" });
    const told = new Set<string>();
    const asked = place.at.asked("CreateAsset").length;
    await withEach(urls, async (URL) => {
      const draft = { GroupId: group.result["Id"], URL, AssetType: "image" };
      const { status, error } = await place.act("CreateAsset", draft);
      if (status === 200) told.add(URL);
      else expect(error.code).toMatch(/^(InvalidParameter|MissingParameter)$/);
    });

    // A name says nothing of where it leads, and the vendor is outside.
    for (const url of told) expect(new URL(url).hostname).toMatch(/^[a-z0-9.-]+\.[a-z]+$/);
    expect(place.at.asked("CreateAsset").length).toBe(asked + told.size);
    expect(canaries.hits).toEqual([]);
  }, 60_000);

  test("as an asset that the gateway stores", async () => {
    const group = await place.act("CreateAssetGroup", { Name: "mine", Library: "own" });
    const pending: string[] = [];
    await withEach(urls, async (URL) => {
      const draft = { GroupId: group.result["Id"], URL, AssetType: "image" };
      const { result, status } = await place.act("CreateAsset", draft);
      if (status === 200) pending.push(textOf(result["Id"]) ?? "");
    });
    const redirects = [...canaries.addresses, "169.254.169.254"].map((each, at) => {
      const host = each.includes(":") ? `[${each}]` : each;
      files.files.set(`/to${at}`, () => Response.redirect(`http://${host}:${canaries.port}/`, 302));
      return `${files.url}/to${at}`;
    });
    await withEach(redirects, async (URL) => {
      const draft = { GroupId: group.result["Id"], URL, AssetType: "image" };
      const { result } = await place.act("CreateAsset", draft);
      pending.push(textOf(result["Id"]) ?? "");
    });
    await waitFor(async () => files.asked.length >= redirects.length, 30_000);
    await Bun.sleep(500);

    for (const Id of pending) {
      expect((await place.act("GetAsset", { Id })).result["Status"]).not.toBe("active");
    }
    expect(canaries.hits).toEqual([]);
  }, 60_000);

  test("as a CallbackURL: no session starts", async () => {
    const asked = place.at.asked("CreateVisualValidateSession").length;
    let begun = 0;
    const all = urls.map((url) => url.replace(/^http:/, "https:"));
    await withEach(all, async (CallbackURL) => {
      const { status } = await place.act("CreateVisualValidateSession", { CallbackURL });
      if (status !== 200) return;
      begun++;
      expect(new URL(CallbackURL).hostname).toMatch(/^[a-z0-9.-]+\.[a-z]+$/);
    });
    for (const session of place.at.sessions.values()) {
      const path = new URL(session.callbackUrl).pathname;
      await fetch(`${place.gateway.url}${path}?resultCode=10006`);
    }
    await Bun.sleep(2_000);

    expect(place.at.asked("CreateVisualValidateSession").length).toBe(asked + begun);
    expect(canaries.hits).toEqual([]);
  }, 60_000);

  test("as a task's callback_url, and as an image for a vendor that follows no links", async () => {
    // Nothing is no address.
    const said = urls.filter((url) => url.trim() !== "");
    await withEach(said, async (url) => {
      const task = await place.gateway.post("/videoa/api/v3/contents/generations/tasks", {
        model: SEEDANCE,
        content: [{ type: "text", text: "a fox" }],
        callback_url: url,
      });
      const { status } = await place.gateway.post("/v1/video/generations", {
        model: VEO,
        prompt: "a fox",
        image: url,
      });
      const body = (await task.json()) as JsonObject;
      if (task.status === 200) {
        expect(body["id"]).toBeDefined();
        expect(new URL(url).hostname).toMatch(/^[a-z0-9.-]+\.[a-z]+$/);
      }
      expect(status).not.toBe(200);
    });
    await Bun.sleep(2_000);

    expect(canaries.hits).toEqual([]);
    expect(vendor.seen).toEqual([]);
  }, 120_000);
});
