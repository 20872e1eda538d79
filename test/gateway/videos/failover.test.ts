import { expect, test } from "bun:test";
import { openRawUpstream, sized } from "#test/egress/raw-upstream.ts";
import { textOf } from "#lib/values.ts";
import { openVendor } from "#test/adapter/vendor.ts";
import { asking } from "./asked.ts";
import { openGatewayDatabase, writeWhenFree } from "#test/gateway-database.ts";
import { openTestGateway } from "#test/harness.ts";
import { SEEDANCE } from "#test/video-place.ts";
import { waitFor } from "#test/wait.ts";

/** Takes a video on, and has made it when it is asked about. */
function filming(method: string): Response {
  if (method === "POST") return Response.json({ id: "made-1" });
  return Response.json({
    id: "made-1",
    status: "succeeded",
    content: { video_url: "https://cdn.example/v.mp4" },
    usage: { completion_tokens: 100_000, total_tokens: 100_000 },
  });
}

/** The words, as models of the fourth family read them. */
const FOX = { content: [{ type: "text", text: "a fox" }] };

test("[decision 22] a video of a channel without a price costs nothing, even if an earlier channel has a price", async () => {
  await using vendor = openVendor(({ method, path }) => {
    if (path.startsWith("/full"))
      return Response.json({ error: { message: "Full." } }, { status: 429 });
    return filming(method);
  });
  await using opened = await openTestGateway({
    yaml: `channels:
  - { name: full, provider: ark, base_url: "${vendor.url}/full", api_key: secret-one, models: [{ name: film, upstream: ${SEEDANCE} }] }
  - { name: free, provider: ark, base_url: "${vendor.url}/free", api_key: secret-two, models: [{ name: film, upstream: doubao-seedance-own }], priority: 1 }
models:
  ${SEEDANCE}: { input: 1, output: 10 }`,
  });
  const at = asking(opened);

  const { body } = await at.post("/v1/video/generations", { model: "film", metadata: FOX });
  const id = textOf(body["task_id"]) ?? "";
  await waitFor(() => at.costOf(id) !== undefined);

  expect(vendor.seen.map(({ path }) => path.split("/")[1])).toContain("full");
  expect(at.costOf(id)).toBe(0);
});

test("a refused task whose end cannot be stored gets the refusal, and is ended later", async () => {
  await using vendor = openVendor(() =>
    Response.json({ error: { message: "Too long." } }, { status: 400 }),
  );
  await using opened = await openTestGateway({
    yaml: `channels:
  - { name: one, provider: ark, base_url: "${vendor.url}", api_key: secret-one, models: [{ name: film, upstream: ${SEEDANCE} }] }`,
  });
  const at = asking(opened);
  using db = openGatewayDatabase(opened.dataDir);
  await writeWhenFree(
    db,
    (each) =>
      void each.run(`CREATE TRIGGER broken BEFORE UPDATE ON tasks WHEN NEW.status = 'failed'
    BEGIN SELECT RAISE(ABORT, 'The disk is full.'); END`),
  );

  const { status } = await at.post("/v1/video/generations", { model: "film", metadata: FOX });

  expect(status).toBe(400);
  await waitFor(() => {
    const row = db.query("SELECT status FROM tasks").get() as { status: string };
    return row.status === "submit_unknown";
  });
});

test("an accepted task that could not be stored is polled and charged", async () => {
  await using vendor = openVendor(({ method }) => filming(method));
  await using opened = await openTestGateway({
    yaml: `channels:
  - { name: one, provider: ark, base_url: "${vendor.url}", api_key: secret-one, models: [{ name: film, upstream: ${SEEDANCE} }] }
models:
  ${SEEDANCE}: { input: 1, output: 10 }`,
  });
  const at = asking(opened);
  using db = openGatewayDatabase(opened.dataDir);
  await writeWhenFree(
    db,
    (each) =>
      void each.run(`CREATE TRIGGER broken BEFORE UPDATE ON tasks WHEN NEW.status = 'queued'
    BEGIN SELECT RAISE(ABORT, 'The disk is full.'); END`),
  );

  const { status, body } = await at.post("/v1/video/generations", {
    model: "film",
    metadata: FOX,
  });
  expect(status).toBe(200);
  const id = textOf(body["task_id"]) ?? "";
  await at.get(`/v1/video/generations/${id}`);
  await waitFor(() => at.costOf(id) !== undefined);

  expect(at.costOf(id)).toBe(1_000_000_000);
  expect(db.query("SELECT status, upstream_id FROM tasks").get()).toEqual({
    status: "succeeded",
    upstream_id: "made-1",
  });
});

test("a vendor that closes the connection without a response does not get the same video twice", async () => {
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
  const question = { model: SEEDANCE, metadata: FOX };

  // The first one leaves a connection that may be used again.
  await at.post("/v1/video/generations", question);
  const { status, body } = await at.post("/v1/video/generations", question);

  // It may have been taken on: its caller has an id for it, and whoever knows is asked.
  expect({ status, is: body["status"] }).toEqual({ status: 200, is: "queued" });
  expect(upstream.requests.filter(({ head }) => head.startsWith("POST"))).toHaveLength(2);
});
