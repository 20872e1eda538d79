import { describe, expect, test } from "bun:test";
import { waitFor } from "../../test/wait.ts";
import { makeVideo } from "./engine/video.ts";
import type { JsonObject } from "./json.ts";
import { at, textAt } from "./testing/chat.ts";
import { act, refusalIn, resultOf, type SignedMore } from "./testing/signed.ts";
import { clockedSandbox, serveFile, type ClockedSandbox } from "./testing/tasks.ts";

const CallbackURL = "https://studio.example/back?case=7";

interface Session {
  readonly BytedToken: string;
  readonly H5Link: string;
}

async function open(simulator: ClockedSandbox, more: JsonObject = {}): Promise<Session> {
  const result = await resultOf(simulator, "CreateVisualValidateSession", { CallbackURL, ...more });
  return { BytedToken: textAt(result, "BytedToken"), H5Link: textAt(result, "H5Link") };
}

/** What a browser is answered that opens the page, or presses one of its buttons. */
async function press(session: Session, outcome?: "pass" | "deny") {
  const more = outcome === undefined ? "" : `&outcome=${outcome}`;
  const response = await fetch(session.H5Link + more, { redirect: "manual" });
  return {
    status: response.status,
    to: response.headers.get("location"),
    page: await response.text(),
  };
}

async function ask(
  simulator: ClockedSandbox,
  { BytedToken }: Session,
  more: JsonObject = {},
  how?: SignedMore,
) {
  return await act(simulator, "GetVisualValidateResult", { BytedToken, ...more }, how);
}

describe("a person", () => {
  test("who passes returns with the token, and gets a group, which is reported once", async () => {
    await using simulator = await clockedSandbox();
    const session = await open(simulator);
    const { status, to } = await press(session, "pass");
    const told = await ask(simulator, session);

    expect([status, to]).toEqual([
      302,
      `${CallbackURL}&bytedToken=${session.BytedToken}&resultCode=10000&algorithmBaseRespCode=0&reqMeasureInfoValue=1&verify_type=real_time`,
    ]);
    const Id = textAt(told.body, "Result", "GroupId");
    expect(await resultOf(simulator, "GetAssetGroup", { Id })).toMatchObject({
      GroupType: "LivenessFace",
    });
    expect(refusalIn(await ask(simulator, session))).toEqual([404, "ResourceNotFound"]);
  });

  test("who is refused returns without a token, and cannot try again", async () => {
    await using simulator = await clockedSandbox();
    const session = await open(simulator);
    const { to } = await press(session, "deny");
    const { searchParams } = new URL(to ?? "");

    expect(searchParams.get("resultCode")).not.toBe("10000");
    expect([searchParams.get("bytedToken"), searchParams.get("verify_type")]).toEqual([
      null,
      "real_time",
    ]);
    expect(refusalIn(await ask(simulator, session))).toEqual([404, "ValidateFailed"]);
    expect(await press(session, "pass")).toMatchObject({ status: 410, to: null });
  });

  test("who confirms twice is redirected twice, and gets one group", async () => {
    await using simulator = await clockedSandbox();
    const session = await open(simulator);
    const [first, second] = [await press(session, "pass"), await press(session, "pass")];
    const Filter = { GroupType: "LivenessFace" };

    expect(second).toEqual(first);
    expect((await press(session, "deny")).status).toBe(410);
    expect(await resultOf(simulator, "ListAssetGroups", { Filter })).toMatchObject({
      TotalCount: 1,
    });
  });

  test("reads the page in their language, and without scripts", async () => {
    await using simulator = await clockedSandbox();
    const session = await open(simulator);
    const inEnglish = { ...session, H5Link: session.H5Link.replace("lng=zh", "lng=en") };
    const odd = { ...session, H5Link: session.H5Link.replace("lng=zh", "lng=%22%3E%3Cscript%3E") };

    expect((await press(session)).page).toContain('<html lang="zh">');
    expect((await press(inEnglish)).page).toContain("It is the person");
    expect((await press(odd)).page).not.toContain("<script");
  });
});

describe("the time limit", () => {
  test("is two minutes for the page", async () => {
    await using simulator = await clockedSandbox();
    const session = await open(simulator);

    simulator.wait(119_999);
    expect((await press(session)).status).toBe(200);
    expect(refusalIn(await ask(simulator, session))).toEqual([404, "ValidateNotReady"]);
    simulator.wait(1);
    expect(await press(session, "pass")).toMatchObject({ status: 410, to: null });
    expect(refusalIn(await ask(simulator, session))).toEqual([404, "ResourceNotFound"]);
  });

  test.each([
    [1_799_999, 200],
    [1_800_000, 404],
  ])("is half an hour for the result: after %d ms it is reported with %d", async (ms, status) => {
    await using simulator = await clockedSandbox();
    const session = await open(simulator);
    await press(session, "pass");
    simulator.wait(ms);

    expect((await ask(simulator, session)).status).toBe(status);
  });
});

describe("refused", () => {
  test.each<[JsonObject, string]>([
    [{ CallbackURL: null }, "MissingParameter"],
    [{ CallbackURL: "/back" }, "InvalidParameter"],
    [{ CallbackURL: "javascript:alert(1)" }, "InvalidParameter"],
  ])("is a session with %j", async (body, code) => {
    await using simulator = await clockedSandbox();

    expect(refusalIn(await act(simulator, "CreateVisualValidateSession", body))).toEqual([
      400,
      code,
    ]);
  });

  test("is an unknown token, or one of another project or account", async () => {
    const [ours, theirs] = ["ak-a|secret", "ak-b@studio|secret"];
    await using simulator = await clockedSandbox({ apiKeys: [ours, theirs] });
    const created = await resultOf(
      simulator,
      "CreateVisualValidateSession",
      { CallbackURL },
      { pair: ours },
    );
    const session = {
      BytedToken: textAt(created, "BytedToken"),
      H5Link: textAt(created, "H5Link"),
    };
    await press(session, "pass");
    const unknown = { ...session, BytedToken: "202601010000" };

    expect((await ask(simulator, unknown, {}, { pair: ours })).status).toBe(404);
    expect((await ask(simulator, session, { ProjectName: "films" }, { pair: ours })).status).toBe(
      404,
    );
    expect((await ask(simulator, session, {}, { pair: theirs })).status).toBe(404);
    expect((await ask(simulator, session, {}, { pair: ours })).status).toBe(200);
  });

  test("is a page without a session", async () => {
    await using simulator = await clockedSandbox();
    const session = await open(simulator);
    const H5Link = session.H5Link.replace(session.BytedToken, "nobody");

    expect((await press({ ...session, H5Link }, "pass")).status).toBe(404);
  });
});

describe("a task", () => {
  const PATH = "/ark/api/v3/contents/generations/tasks";
  const model = "doubao-seedance-2-0-260128";

  /** Orders a video of a picture, or of another kind of medium. */
  async function film(
    simulator: ClockedSandbox,
    url: string,
    text = "a walk",
    kind = "image_url",
    key = "sk-test",
  ) {
    const role = kind === "image_url" ? "reference_image" : `reference_${kind.replace("_url", "")}`;
    const content = [
      { type: "text", text },
      { type: kind, [kind]: { url }, role },
    ];
    const answer = await simulator.call(
      "POST",
      PATH,
      { model, content },
      { authorization: `Bearer ${key}` },
    );
    return {
      status: answer.status,
      code: at(answer.body, "error", "code"),
      param: at(answer.body, "error", "param"),
    };
  }

  async function picture(
    simulator: ClockedSandbox,
    GroupId: string,
    more: JsonObject = {},
  ): Promise<string> {
    const body = { GroupId, URL: "https://a.example/a.png", AssetType: "Image", ...more };
    return textAt(await resultOf(simulator, "CreateAsset", body), "Id");
  }

  async function verifiedGroup(simulator: ClockedSandbox): Promise<string> {
    const session = await open(simulator);
    await press(session, "pass");
    return textAt((await ask(simulator, session)).body, "Result", "GroupId");
  }

  async function usualGroup(simulator: ClockedSandbox, more: JsonObject = {}): Promise<string> {
    return textAt(await resultOf(simulator, "CreateAssetGroup", { Name: "cats", ...more }), "Id");
  }

  const REFUSED = { status: 400, code: "InvalidParameter", param: "content[1]" };

  test("accepts an asset once it is active, until it is deleted", async () => {
    await using simulator = await clockedSandbox();
    const Id = await picture(simulator, await usualGroup(simulator));

    expect(await film(simulator, `asset://${Id}`)).toEqual(REFUSED);
    simulator.wait(1_300);
    expect((await film(simulator, `asset://${Id}`)).status).toBe(200);
    expect((await film(simulator, `ASSET://${Id}`)).status).toBe(200);
    await resultOf(simulator, "DeleteAsset", { Id });
    expect(await film(simulator, `asset://${Id}`)).toEqual(REFUSED);
  });

  test("refuses an asset that has failed, has another type, or does not exist", async () => {
    await using simulator = await clockedSandbox();
    const group = await usualGroup(simulator);
    const [good, bad] = [
      await picture(simulator, group),
      await picture(simulator, group, { Name: "[fail]" }),
    ];
    simulator.wait(1_300);

    expect(await film(simulator, `asset://${bad}`)).toEqual(REFUSED);
    expect(await film(simulator, `asset://${good}`, "a walk", "video_url")).toEqual(REFUSED);
    expect(await film(simulator, `asset://${good}/x`)).toEqual(REFUSED);
    expect(await film(simulator, "asset://asset-1")).toEqual(REFUSED);
  });

  test("refuses an asset of another account or project", async () => {
    await using simulator = await clockedSandbox();
    const group = await usualGroup(simulator, { ProjectName: "films" });
    const id = await picture(simulator, group, { ProjectName: "films" });
    simulator.wait(1_300);
    const status = async (key: string) =>
      (await film(simulator, `asset://${id}`, "a walk", "image_url", key)).status;

    expect(await status("sk-test")).toBe(400);
    expect(await status("sk-test@studio/films")).toBe(400);
    expect(await status("sk-test/films")).toBe(200);
  });

  test("counts the length of an input video", async () => {
    await using simulator = await clockedSandbox();
    const clip = await makeVideo({
      width: 320,
      height: 320,
      seconds: 3,
      framesPerSecond: 24,
      prompt: "a cat",
      hasSound: false,
    });
    using server = serveFile(clip);
    const URL = server.url;
    const Id = await picture(simulator, await usualGroup(simulator), { URL, AssetType: "Video" });
    simulator.wait(1_300);
    await waitFor(async () => {
      const { Status } = await resultOf(simulator, "GetAsset", { Id });
      return Status === "Active";
    });
    const video = {
      type: "video_url",
      video_url: { url: `asset://${Id}` },
      role: "reference_video",
    };
    const content = [{ type: "text", text: "a walk" }, video];
    const order = { model, content, duration: 5, resolution: "480p", ratio: "1:1" };
    const { body } = await simulator.call("POST", PATH, order);
    simulator.wait(1_300);
    const task = (await simulator.call("GET", `${PATH}/${textAt(body, "id")}`)).body;

    expect(at(task, "usage", "completion_tokens")).toBe(((3 + 5) * 640 * 640 * 24) / 1_024);
  });

  test("shows real persons only as they were verified", async () => {
    await using simulator = await clockedSandbox();
    const [verified, usual] = [await verifiedGroup(simulator), await usualGroup(simulator)];
    const [person, stranger] = [
      await picture(simulator, verified),
      await picture(simulator, usual),
    ];
    simulator.wait(1_300);
    const refused = {
      status: 400,
      code: "InputImageSensitiveContentDetected.PrivacyInformation",
      param: "content[1]",
    };

    expect((await film(simulator, `asset://${person}`, "[person]")).status).toBe(200);
    expect(await film(simulator, `asset://${stranger}`, "[person]")).toEqual(refused);
    expect(await film(simulator, "https://a.example/a.png", "[person]")).toEqual(refused);
    expect((await film(simulator, `asset://${stranger}`)).status).toBe(200);
  });
});
