import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { pngUrl } from "@sluice/sandbox/testing/pictures.ts";
import { askWith, asUser, logIn, ROOT, textIn } from "#test/accounts.ts";
import { openVendor, type Vendor } from "#test/adapter/vendor.ts";
import { KEY } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";
import { openFileServer, stored, type FileServer } from "../videos/content-place.ts";
import { openAssetPlace, PUBLIC_URL, type AssetPlace } from "./asset-place.ts";

const KLING = "kling-v2-6";
const VEO = "veo-3.1-generate-preview";
const PICTURE = Buffer.from(pngUrl(128, 96).replace(/^.*,/, ""), "base64");

let vendor: Vendor;
let files: FileServer;
let place: AssetPlace;
let session: Readonly<Record<string, string>>;
const open = (env: Readonly<Record<string, string>> = {}): Promise<AssetPlace> =>
  openAssetPlace({
    yaml: `channels:
  - { name: kling, provider: kling, base_url: "${vendor.url}", api_key: some-key, models: [${KLING}] }
  - { name: gemini, provider: gemini, base_url: "${vendor.url}", api_key: other-key, models: [${VEO}] }`,
    env: {
      SLUICE_LINKS_ALLOW: "127.0.0.1",
      SLUICE_LINKS_PORTS: `80,443,${new URL(files.url).port}`,
      SLUICE_LIMIT_ASSET_BYTES: "1MiB",
      ...env,
    },
  });
beforeAll(async () => {
  let last = 0;
  vendor = openVendor(({ path, method }) => {
    if (method === "GET") return Response.json({ code: 0, data: {} });
    if (path.includes("predict")) return Response.json({ name: `models/x/operations/${++last}` });
    return Response.json({ code: 0, data: { task_id: `t${++last}`, task_status: "submitted" } });
  });
  files = openFileServer();
  files.files.set("/cat.png", stored(PICTURE, { "content-type": "text/plain" }));
  files.files.set("/moved", () => Response.redirect("/cat.png", 302));
  files.files.set("/inside", () => Response.redirect("http://127.0.0.2/", 302));
  files.files.set("/empty", () => new Response(""));
  files.files.set("/page", () => new Response("<html>a cat</html>"));
  files.files.set("/small.png", stored(Buffer.from(pngUrl(16, 16).replace(/^.*,/, ""), "base64")));
  files.files.set("/large", () => new Response(new Uint8Array(2 * 1024 * 1024)));
  files.files.set("/hidden", () => new Response("no", { status: 403 }));
  place = await open();
  session = await logIn(place.gateway.url, ROOT);
});
afterAll(async () => {
  await place[Symbol.asyncDispose]();
  await files[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

async function made(path: string, on = place, key = KEY, type = "image"): Promise<JsonObject> {
  const group = await on.act("CreateAssetGroup", { Name: "mine" }, key);
  const URL = path.startsWith("http") ? path : files.url + path;
  const draft = { GroupId: group.result["Id"], URL, AssetType: type, Name: "A cat" };
  const { result, error } = await on.act("CreateAsset", draft, key);
  if (error.code !== "") return error;
  expect(result["Status"]).toBe("pending");
  let asset: JsonObject = {};
  await waitFor(async () => {
    ({ result: asset } = await on.act("GetAsset", { Id: result["Id"] }, key));
    return asset["Status"] !== "pending";
  }, 20_000);
  return asset;
}

/** Sends a file as the form of a page does. */
async function upload(bytes: Uint8Array, fields: Record<string, string>): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", new Blob([bytes]), "cat.png");
  return await fetch(`${place.gateway.url}/api/asset/self/file`, {
    method: "POST",
    headers: session,
    body: form,
  });
}

describe("the library in the management API", () => {
  test("takes files and addresses, lists them by their filters, and shows auditors no content", async () => {
    const root = askWith(place.gateway.url, session);
    const member = await asUser(place.gateway.url, "uploader");
    const group = await root("POST", "/api/asset/self/group", { name: "shots", place: "gateway" });
    const group_id = textIn(group.data, "id");

    const sent = await upload(PICTURE, { group_id, type: "image", name: "Sent" });
    const { data } = (await sent.json()) as { readonly data: JsonObject };
    const fetched = await root("POST", "/api/asset/self", {
      group_id,
      type: "image",
      url: `${files.url}/cat.png`,
      name: "Fetched",
    });

    expect(data).toMatchObject({ state: "active", media_type: "image/png", url: null });
    const link = await fetch(place.gateway.url + textIn(data, "link"));
    expect(Buffer.from(await link.arrayBuffer()).equals(PICTURE)).toBe(true);
    expect(fetched.data).toMatchObject({ url: `${files.url}/cat.png`, name: "Fetched" });
    const found = await root("GET", `/api/asset/self?group=${group_id}&name=Sen&type=image`);
    expect(found.data).toMatchObject({ items: [{ id: data["id"] ?? "" }], total: 1 });
    const none = await root("GET", `/api/asset/self?group=${group_id}&type=video`);
    expect(none.data).toEqual({ items: [], total: 0 });
    const groups = await root("GET", "/api/asset/self/group?page_size=1");
    expect(groups.data["items"]).toMatchObject([{ id: group_id, assets: 2, channel: null }]);

    const all = await root("GET", "/api/asset?user=1&name=Sent");
    expect(all.data["items"]).toMatchObject([{ user_name: "root", size_bytes: PICTURE.length }]);
    expect(JSON.stringify(all.data)).not.toContain("/v1/assets/content");
    expect((await member("GET", "/api/asset")).status).toBe(403);
    expect((await member("GET", "/api/asset/self")).data).toEqual({ items: [], total: 0 });
    const id = textIn(data, "id");
    expect((await member("DELETE", `/api/asset/self/${id}`)).status).toBe(400);
    expect((await root("PUT", `/api/asset/self/${id}`, { name: "New" })).status).toBe(200);
    expect((await root("DELETE", `/api/asset/self/${id}`)).status).toBe(200);
    expect((await fetch(place.gateway.url + textIn(data, "link"))).status).toBe(404);
  });

  test("refuses a file that is too large, of another kind, or without its group", async () => {
    const root = askWith(place.gateway.url, session);
    const group = await root("POST", "/api/asset/self/group", { name: "more", place: "gateway" });
    const group_id = textIn(group.data, "id");

    const refused = await Promise.all([
      upload(new Uint8Array(2 * 1024 * 1024), { group_id, type: "image" }),
      upload(PICTURE, { group_id, type: "video" }),
      upload(PICTURE, { type: "image" }),
      upload(PICTURE, { group_id: "group-none", type: "image" }),
      upload(PICTURE, { group_id, type: "image", other: "x" }),
    ]);

    expect(refused.map(({ status }) => status)).toEqual([413, 400, 400, 400, 400]);
    const listed = await root("GET", `/api/asset/self?group=${group_id}`);
    expect(listed.data["total"]).toBe(0);
  });
});

describe("if no vendor stores assets", () => {
  test("the gateway downloads and stores them, and serves them under its own links", async () => {
    const asset = await made("/moved");
    const link = new URL(textOf(asset["URL"]) ?? "");

    expect(asset).toMatchObject({ AssetType: "image", Status: "active", Name: "A cat" });
    expect(link.origin).toBe(PUBLIC_URL);
    const here = place.gateway.url + link.pathname + link.search;
    const whole = await fetch(here);
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(PICTURE);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      "content-type": "image/png",
      "content-length": String(PICTURE.length),
      "accept-ranges": "bytes",
      "x-content-type-options": "nosniff",
    });
    const part = await fetch(here, { headers: { range: "bytes=1-3" } });
    expect([part.status, await part.text()]).toEqual([206, "PNG"]);
    expect(part.headers.get("content-range")).toBe(`bytes 1-3/${PICTURE.length}`);
    const head = await fetch(here, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, `${PICTURE.length}`]);
    const beyond = await fetch(here, { headers: { range: "bytes=99999999-" } });
    expect(beyond.status).toBe(416);
  });

  test("a link of another site or another asset gives no access", async () => {
    const one = new URL(textOf((await made("/cat.png"))["URL"]) ?? "");
    const two = new URL(textOf((await made("/cat.png"))["URL"]) ?? "");
    const { pathname, searchParams } = one;
    const { gateway } = place;
    const [expires = "", signature = ""] = ["expires", "signature"].map((each) =>
      searchParams.get(each),
    ) as string[];

    for (const path of [
      pathname,
      `${pathname}?expires=${expires}`,
      `${pathname}?expires=${Number(expires) + 1}&signature=${signature}`,
      `${pathname}?expires=${expires}&signature=${signature}x`,
      `${pathname}?expires=${expires}&signature=`,
      two.pathname + one.search,
      `/v1/assets/content/asset-none${one.search}`,
    ]) {
      const response = await fetch(gateway.url + path, {
        headers: { authorization: `Bearer ${KEY}` },
      });
      expect([path, response.status]).toEqual([path, 404]);
    }
  });

  test("a deleted asset is unavailable at once, and its file is removed soon after", async () => {
    const asset = await made("/cat.png");
    const Id = textOf(asset["Id"]) ?? "";
    const { pathname, search } = new URL(textOf(asset["URL"]) ?? "");
    const path = join(place.gateway.dataDir, "media", "assets", Id);
    expect(existsSync(path)).toBe(true);

    await place.act("DeleteAsset", { Id });

    expect((await fetch(place.gateway.url + pathname + search)).status).toBe(404);
    await waitFor(() => !existsSync(path));
  });

  test.each([
    ["/page", "TypeMismatch"],
    ["/empty", "DownloadFailed"],
    ["/hidden", "DownloadFailed"],
    ["/nothing", "DownloadFailed"],
    ["/small.png", "WidthTooSmall"],
    ["/large", "FileSizeTooLarge"],
  ])("a link to %s fails with a reason: %s", async (path, code) => {
    const asset = await made(path);

    expect(asset).toMatchObject({ Status: "failed", Error: { Code: code } });
    expect(JSON.stringify(asset)).not.toContain("signature=");
    const folder = join(place.gateway.dataDir, "media", "assets");
    expect(existsSync(folder) ? readdirSync(folder) : []).not.toContain(asset["Id"]);
  });

  test("an image is refused as a video", async () => {
    const asset = await made("/cat.png", place, KEY, "video");

    expect(asset).toMatchObject({ Status: "failed", Error: { Code: "TypeMismatch" } });
  });

  test("the total size of a user's files is limited", async () => {
    const key = await place.keyOf("hoarder");
    const size = 700 * 1024;
    const bytes = Buffer.concat([PICTURE, Buffer.alloc(size)]);
    files.files.set("/padded.png", stored(bytes));

    expect(await made("/padded.png", place, key)).toMatchObject({ Status: "active" });
    expect(await made("/padded.png", place, key)).toMatchObject({
      Status: "failed",
      Error: { Code: "FileSizeTooLarge" },
    });
  });
});

describe("[B4.9-e] a task that refers to an asset stored by the gateway", () => {
  const image2video = (image: string, on = place): Promise<Response> =>
    on.gateway.post("/videoe/v1/videos/image2video", {
      model_name: KLING,
      prompt: "a fox",
      image,
    });
  const veo = (image: string): Promise<Response> =>
    place.gateway.post("/v1/video/generations", { model: VEO, prompt: "a fox", image });

  test("gives its vendor a link to the file", async () => {
    const asset = await made("/cat.png");
    const response = await image2video(`asset://${textOf(asset["Id"])}`);
    const { pathname, search, origin } = new URL(textOf(vendor.last.body["image"]) ?? "");

    expect([response.status, origin]).toEqual([200, PUBLIC_URL]);
    const file = await fetch(place.gateway.url + pathname + search);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(PICTURE);
  });

  test("gives the file itself to a vendor that follows no links", async () => {
    const asset = await made("/cat.png");
    const before = files.asked.length;
    const response = await veo(`asset://${textOf(asset["Id"])}`);

    expect(response.status).toBe(200);
    expect(vendor.last.text).toContain(PICTURE.toString("base64"));
    expect(files.asked.length).toBe(before);
  });

  test("sends every vendor the file itself if the gateway has no public URL", async () => {
    await using alone = await open({ SLUICE_PUBLIC_URL: "" });
    const asset = await made("/cat.png", alone);
    const response = await image2video(`asset://${textOf(asset["Id"])}`, alone);

    expect(asset["URL"]).toBe(`${files.url}/cat.png`);
    expect(response.status).toBe(200);
    expect(vendor.last.body["image"]).toBe(PICTURE.toString("base64"));
  });
});

test("a slow link does not delay the shutdown, and is followed again by the next gateway", async () => {
  await using stopping = await open();
  const asked = Promise.withResolvers<void>();
  files.files.set("/slow.png", () => {
    asked.resolve();
    return new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
  });
  const group = await stopping.act("CreateAssetGroup", { Name: "mine" });
  const draft = { GroupId: group.result["Id"], URL: `${files.url}/slow.png`, AssetType: "image" };
  const { result } = await stopping.act("CreateAsset", draft);
  await asked.promise;

  await stopping.gateway.gateway.close();

  const db = new Database(join(stopping.gateway.dataDir, "sluice.db"), { readonly: true });
  const assets = db.query("SELECT status, looks, lease_until FROM assets").all();
  db.close();

  expect(result["Status"]).toBe("pending");
  expect(assets).toEqual([{ status: "pending", looks: 0, lease_until: 0 }]);
});

test("a user with a vendor's library can also store assets in the gateway, for any vendor", async () => {
  await using both = await openAssetPlace({
    more: `  - { name: kling, provider: kling, base_url: "${vendor.url}", api_key: some-key, models: [${KLING}] }`,
    env: {
      SLUICE_LINKS_ALLOW: "127.0.0.1",
      SLUICE_LINKS_PORTS: `80,443,${new URL(files.url).port}`,
    },
  });
  const group = await both.act("CreateAssetGroup", { Name: "mine", Library: "own" });
  const draft = { GroupId: group.result["Id"], URL: `${files.url}/cat.png`, AssetType: "image" };
  const { result } = await both.act("CreateAsset", draft);
  await waitFor(async () => {
    const { result: asset } = await both.act("GetAsset", { Id: result["Id"] });
    return asset["Status"] === "active";
  });
  const response = await both.gateway.post("/videoe/v1/videos/image2video", {
    model_name: KLING,
    prompt: "a fox",
    image: `asset://${textOf(result["Id"])}`,
  });

  expect(response.status).toBe(200);
  expect(both.at.vendor.seen).toEqual([]);
});
