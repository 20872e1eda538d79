import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { SANDBOX_PAIR } from "@sluice/sandbox/key-pairs.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { pngUrl } from "@sluice/sandbox/testing/pictures.ts";
import { waitFor } from "#test/wait.ts";
import { openFileServer, stored, type FileServer } from "../videos/content-place.ts";
import { openAssetPlace, SEEDANCE, type AssetPlace } from "./asset-place.ts";

/** The vendor's half is held to a simulator that shares no line with it, and checks signatures. */
let sandbox: Sandbox;
let files: FileServer;
let place: AssetPlace;
beforeAll(async () => {
  sandbox = await startSandbox({ tasks: { queuedMs: 0, runningMs: 300 } });
  files = openFileServer();
  files.files.set("/cat.png", stored(Buffer.from(pngUrl(640, 360).replace(/^.*,/, ""), "base64")));
  place = await openAssetPlace({
    yaml: channels(`sk-operator|${SANDBOX_PAIR}`),
    env: {
      SLUICE_LINKS_ALLOW: "127.0.0.1",
      SLUICE_LINKS_PORTS: `80,443,${new URL(files.url).port}`,
    },
  });
});
afterAll(async () => {
  await place[Symbol.asyncDispose]();
  await files[Symbol.asyncDispose]();
  await sandbox.stop();
});

function channels(key: string): string {
  return `channels:
  - name: ark
    provider: ark
    base_url: "${sandbox.url}/ark/api/v3"
    api_key: "${key}"
    options: { assets_url: "${sandbox.url}/ark/" }
    models: [${SEEDANCE}]
`;
}

async function made(Name: string): Promise<JsonObject> {
  const group = await place.act("CreateAssetGroup", { Name: "films" });
  const draft = { GroupId: group.result["Id"], URL: `${files.url}/cat.png`, AssetType: "image" };
  const { result } = await place.act("CreateAsset", { ...draft, Name });
  let asset: JsonObject = {};
  await waitFor(async () => {
    ({ result: asset } = await place.act("GetAsset", { Id: result["Id"] }));
    return asset["Status"] !== "pending";
  }, 20_000);
  return asset;
}

const submit = (id: string): Promise<Response> =>
  place.gateway.post("/videoa/api/v3/contents/generations/tasks", {
    model: SEEDANCE,
    content: [
      { type: "text", text: "a cat" },
      { type: "image_url", image_url: { url: `asset://${id}` }, role: "reference_image" },
    ],
  });

describe("with the simulated vendor", () => {
  test("[B4.9-a][B4.9-e] an asset is created, renamed, used in a video, and deleted", async () => {
    const asset = await made("A cat");
    const Id = textOf(asset["Id"]) ?? "";
    const renamed = await place.act("UpdateAsset", { Id, Name: "The cat" });
    const listed = await place.act("ListAssets", { Filter: { Name: "The cat" } });
    const task = await submit(Id);
    const deleted = await place.act("DeleteAsset", { Id });
    const after = await submit(Id);

    expect(asset).toMatchObject({ Status: "active", AssetType: "image" });
    expect((await fetch(textOf(asset["URL"]) ?? "")).status).toBe(200);
    expect([renamed.status, listed.result["TotalCount"]]).toEqual([200, 1]);
    expect([task.status, deleted.status, after.status]).toEqual([200, 200, 400]);
  });

  test("[B3.2] an asset that the vendor rejects has failed with the vendor's reason", async () => {
    const asset = await made("[FaceMismatch]");

    expect(asset).toMatchObject({ Status: "failed", Error: { Code: "FaceMismatch" } });
    const task = await submit(textOf(asset["Id"]) ?? "");
    expect([task.status, await task.text()]).toEqual([400, expect.stringContaining("not active")]);
  });

  test("an access key with a wrong secret is reported to the operator, not to the client", async () => {
    const [id = ""] = SANDBOX_PAIR.split("|");
    await using other = await openAssetPlace({ yaml: channels(`sk-operator|${id}|wrong`) });
    const { status, error } = await other.act("CreateAssetGroup", { Name: "films" });

    expect([status, error]).toEqual([
      502,
      { code: "InternalError", message: "The upstream does not accept the gateway's account." },
    ]);
  });
});
