import { expect, test } from "bun:test";
import { openRawUpstream, sized } from "#egress/fixtures/raw-upstream.ts";
import { textOf } from "#lib/values.ts";
import { openVendor } from "#test/adapter/vendor.ts";
import { asking } from "./asked.ts";
import { openTestGateway } from "#test/harness.ts";
import { SEEDANCE } from "#test/video-place.ts";
import { waitFor } from "#test/wait.ts";

test("[decision 22] a video that a channel without a price made costs nothing, whatever one before it would have taken", async () => {
  await using vendor = openVendor(({ method, path }) => {
    if (path.startsWith("/full"))
      return Response.json({ error: { message: "Full." } }, { status: 429 });
    if (method === "POST") return Response.json({ id: "made-1" });
    return Response.json({
      id: "made-1",
      status: "succeeded",
      content: { video_url: "https://cdn.example/v.mp4" },
      usage: { completion_tokens: 100_000, total_tokens: 100_000 },
    });
  });
  await using opened = await openTestGateway({
    yaml: `channels:
  - { name: full, provider: ark, base_url: "${vendor.url}/full", api_key: secret-one, models: [{ name: film, upstream: ${SEEDANCE} }] }
  - { name: free, provider: ark, base_url: "${vendor.url}/free", api_key: secret-two, models: [{ name: film, upstream: doubao-seedance-own }], priority: 1 }
models:
  ${SEEDANCE}: { input: 1, output: 10 }`,
  });
  const at = asking(opened);

  const { body } = await at.post("/v1/video/generations", { model: "film", prompt: "a fox" });
  const id = textOf(body["task_id"]) ?? "";
  await waitFor(() => at.costOf(id) !== undefined);

  expect(vendor.seen.map(({ path }) => path.split("/")[1])).toContain("full");
  expect(at.costOf(id)).toBe(0);
});

test("a vendor that closes the connection instead of an answer is not asked for the same video twice", async () => {
  await using upstream = await openRawUpstream((socket, { head, nth }) => {
    if (!head.startsWith("POST")) socket.write(sized(JSON.stringify({ status: "running" })));
    else if (nth === 1) socket.write(sized(JSON.stringify({ id: "made-1" })));
    else socket.destroy();
  });
  await using opened = await openTestGateway({
    yaml: `channels:
  - { name: only, provider: ark, base_url: "http://127.0.0.1:${upstream.port}", api_key: secret, models: [${SEEDANCE}] }
models:
  ${SEEDANCE}: { input: 1, output: 10 }`,
  });
  const at = asking(opened);
  const question = { model: SEEDANCE, prompt: "a fox" };

  // The first one leaves a connection that may be used again.
  await at.post("/v1/video/generations", question);
  const { status, body } = await at.post("/v1/video/generations", question);

  // It may have been taken on: its caller has an id for it, and whoever knows is asked.
  expect({ status, is: body["status"] }).toEqual({ status: 200, is: "queued" });
  expect(upstream.requests.filter(({ head }) => head.startsWith("POST"))).toHaveLength(2);
});
