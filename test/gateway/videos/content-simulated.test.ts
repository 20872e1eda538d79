import { expect } from "bun:test";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { probe, testWithFfmpeg } from "@sluice/sandbox/testing/media-files.ts";
import { openGatewayDatabase } from "#test/gateway-database.ts";
import { openTestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";
import { aTask, insert } from "./content-place.ts";

const KEY = "sk-upstream-secret";
const MODEL = "doubao-seedance-1-0-pro-250528";

testWithFfmpeg("a video of the simulator can be read by an independent decoder", async () => {
  const sandbox = await startSandbox();
  const base = `${sandbox.url}/ark/api/v3`;
  await using gateway = await openTestGateway({
    yaml: `channels:\n  - { name: open, provider: ark, base_url: "${base}", api_key: ${KEY}, models: [${MODEL}] }`,
    env: { SLUICE_MEDIA_STORE: "folder" },
  });
  const asked = await fetch(`${base}/contents/generations/tasks`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: MODEL,
      content: [{ type: "text", text: "a fox" }],
      duration: 5,
    }),
  });
  const { id: upstreamId } = (await asked.json()) as { id: string };
  const task = aTask("open", [], { status: "queued", isSettled: false });
  const { place } = task;
  const db = openGatewayDatabase(gateway.dataDir);
  if (place !== undefined) await insert(db, { ...task, place: { ...place, upstreamId } });
  const path = `/v1/videos/${task.id}/content`;
  await waitFor(async () => (await gateway.get(path)).status === 200, 20_000);

  const atVendor = new Uint8Array(await (await gateway.get(path)).arrayBuffer());
  await waitFor(() => db.query("SELECT 1 FROM media WHERE state = 'kept'").get() !== null);
  await sandbox.stop();
  const copied = new Uint8Array(await (await gateway.get(path)).arrayBuffer());
  db.close();

  expect(await probe(atVendor, "stream=codec_name,width,height")).toMatch(/\d+\|\d+/);
  expect(copied).toEqual(atVendor);
});
