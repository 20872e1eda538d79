import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asRoot, asUser } from "#test/accounts.ts";
import { textOf } from "#lib/values.ts";
import { returnPathOf } from "#test/asset-vendor.ts";
import { KEY, simulatedChannel } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";
import { openAssetPlace, PUBLIC_URL, type AssetPlace } from "./asset-place.ts";

const HOOK = "https://hooks.example.com/verified";

let place: AssetPlace;
beforeAll(async () => {
  place = await openAssetPlace();
});
afterAll(() => place[Symbol.asyncDispose]());

const begin = (CallbackURL: unknown = HOOK) =>
  place.act("CreateVisualValidateSession", { CallbackURL });
const fetched = (VendorToken: unknown, key = KEY) =>
  place.act("GetVisualValidateResult", { VendorToken }, key);
const lastSession = () => [...place.at.sessions.values()].at(-1);

describe("[B4.9-c] a person's verification", () => {
  test("begins with a link and a token, returns to a page, and ends with a group for assets", async () => {
    const { result } = await begin();
    const session = lastSession();
    expect(result).toEqual({
      H5Link: expect.stringMatching(/^https:\/\/h5\.example\/byted-/),
      VendorToken: expect.stringMatching(/^vt_\w{32}$/),
    });
    expect(session?.callbackUrl).toStartWith(`${PUBLIC_URL}/callbacks/verify/`);
    const early = await fetched(result["VendorToken"]);
    expect([early.status, early.error.code]).toEqual([409, "ValidateNotReady"]);

    if (session !== undefined) session.groupId = "group-20260101-person";
    const page = await fetch(`${place.gateway.url}${returnPathOf(session)}?${PASSED}`);
    expect(page.status).toBe(200);
    await waitFor(async () => (await fetched(result["VendorToken"])).status === 200);
    const done = await fetched(result["VendorToken"]);

    expect(done.result).toEqual({
      GroupId: "group-20260101-person",
      Name: "Verified person",
      GroupType: "identity",
    });
    const GroupId = textOf(done.result["GroupId"]);
    const asset = await place.act("CreateAsset", {
      GroupId,
      URL: "https://example.com/face.png",
      AssetType: "image",
    });
    expect(asset.status).toBe(200);
    expect(place.at.asked("CreateAsset").at(-1)).toMatchObject({ GroupId });
    const listed = await place.act("ListAssets", { Filter: { GroupType: "identity" } });
    expect(listed.result["TotalCount"]).toBe(1);
    const group = await place.act("GetAssetGroup", { Id: GroupId });
    expect(group.result).toMatchObject({ GroupType: "identity", Name: "Verified person" });
  });

  test("[B4.9-d] is reported once by its vendor, and as often as its client asks", async () => {
    const { result } = await begin();
    const session = lastSession();
    if (session !== undefined) session.groupId = "group-read-twice";
    const before = place.at.asked("GetVisualValidateResult").length;
    const key = await place.keyOf("reader");
    const foreign = await fetched(result["VendorToken"], key);
    const [one, two] = [await fetched(result["VendorToken"]), await fetched(result["VendorToken"])];

    expect(one.result).toEqual(two.result);
    expect(one.result["GroupId"]).toBe("group-read-twice");
    expect(place.at.asked("GetVisualValidateResult")).toHaveLength(before + 1);
    expect([foreign.status, foreign.error]).toEqual([400, (await fetched("vt_none", key)).error]);
  });

  test("shows a returning person a page without details and without effects", async () => {
    await begin();
    const real = returnPathOf(lastSession());
    const paths = [
      `${real}?${PASSED}`,
      `${real}?resultCode=10006&bytedToken=x`,
      `/callbacks/verify/${"x".repeat(32)}?${PASSED}`,
      "/callbacks/verify/short",
      `${real}?resultCode=%00%0d%0aX:y&verify_type=${"y".repeat(5_000)}`,
    ];
    const pages = await Promise.all(
      paths.map(async (path) => {
        const response = await fetch(place.gateway.url + path);
        return { response, text: await response.text() };
      }),
    );

    for (const { response, text } of pages) {
      expect(response.status).toBe(200);
      expect(text).toBe(pages[0]?.text ?? "");
      expect(text).not.toMatch(/<script|<img|<link|https?:|src=|style/i);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "content-security-policy":
          "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      });
    }
  });

  test.each([
    ["http", "http://hooks.example.com/verified"],
    ["no address", "hooks.example.com"],
    ["a path", "/verified"],
    ["a user name in it", "https://me:pass@hooks.example.com/"],
    ["an inner address", "https://10.0.0.1/"],
    ["this machine", "https://localhost/"],
    ["another port", "https://hooks.example.com:6379/"],
    ["another scheme", "ftp://hooks.example.com/"],
  ])("with a CallbackURL with %s is refused", async (_what, url) => {
    const before = place.at.asked("CreateVisualValidateSession").length;
    const { status, error } = await begin(url);

    expect([status, error.code]).toEqual([400, "InvalidParameter"]);
    expect(error.message).toContain("CallbackURL");
    expect(place.at.asked("CreateVisualValidateSession")).toHaveLength(before);
  });

  test("is listed with its state for its user, and for auditors with the user", async () => {
    const root = await asRoot(place.gateway.url);
    const member = await asUser(place.gateway.url, "watcher");
    const began = await root("POST", "/api/asset/self/verification", { callback_url: HOOK });
    const refused = lastSession();
    await fetch(`${place.gateway.url}${returnPathOf(refused)}?resultCode=10006`);
    const passing = await begin();
    const session = lastSession();
    if (session !== undefined) session.groupId = "group-listed";
    await fetched(passing.result["VendorToken"]);

    const own = await root("GET", "/api/asset/self/verification?page_size=2");
    const all = await root("GET", "/api/asset/verification?user=1&page_size=1");

    expect(began.data).toMatchObject({ token: expect.stringMatching(/^vt_/) });
    expect(own.data["items"]).toMatchObject([
      { state: "passed", group_id: "group-listed", result_code: null },
      { state: "failed", group_id: null, result_code: "10006" },
    ]);
    expect(all.data["items"]).toMatchObject([{ state: "passed", user_id: 1, user_name: "root" }]);
    expect(JSON.stringify(own.data)).not.toContain("vt_");
    expect((await member("GET", "/api/asset/self/verification")).data).toEqual({
      items: [],
      total: 0,
    });
    expect((await member("GET", "/api/asset/verification")).status).toBe(403);
  });

  test("without a CallbackURL or a token is refused", async () => {
    expect((await place.act("CreateVisualValidateSession")).error).toEqual({
      code: "MissingParameter",
      message: "CallbackURL is required",
    });
    expect((await place.act("GetVisualValidateResult", { VendorToken: "" })).error).toEqual({
      code: "MissingParameter",
      message: "VendorToken is required",
    });
    expect((await fetched("vt_unknown")).error.code).toBe("InvalidParameter");
  });

  test("is not offered if no channel supports it, or if the gateway has no public URL", async () => {
    const withoutLibrary = `channels:\n${simulatedChannel("text", "http://127.0.0.1:1")}`;
    await using none = await openAssetPlace({ yaml: withoutLibrary });
    await using hidden = await openAssetPlace({ env: { SLUICE_PUBLIC_URL: "" } });

    for (const each of [none, hidden]) {
      const { error } = await each.act("CreateVisualValidateSession", { CallbackURL: HOOK });
      expect(error.code).toBe("UnsupportedAction");
    }
  });
});

const PASSED =
  "bytedToken=forged&resultCode=10000&algorithmBaseRespCode=0&reqMeasureInfoValue=1&verify_type=real_time";
