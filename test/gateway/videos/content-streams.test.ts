import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { KEY } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";
import { openContentPlace, VIDEO, videoOf, type ContentPlace } from "./content-place.ts";

const MIB = 1024 * 1024;
const PIECE = videoOf(256 * 1024);
const LARGE_BYTES = 300 * MIB;

let place: ContentPlace;
beforeAll(async () => {
  place = await openContentPlace({
    SLUICE_LIMIT_TOTAL_MS: "300ms",
    SLUICE_LIMIT_IDLE_MS: "700ms",
    SLUICE_LIMIT_FIRST_BYTE_MS: "500ms",
    SLUICE_LIMIT_MEDIA_BYTES: "400MiB",
    SLUICE_LIMIT_DOWNLOADS: "5",
    SLUICE_LIMIT_KEY_DOWNLOADS: "4",
  });
});
afterAll(() => place[Symbol.asyncDispose]());
beforeEach(() => {
  place.vendor.files.clear();
  place.elsewhere.files.clear();
});

interface Flow {
  sentBytes: number;
  isLeft: boolean;
}

/** Bytes as fast as they are taken, or with pauses. */
function flowing(flow: Flow, sizeBytes: number, pauseMs = 0, more = {}): () => Response {
  return () => {
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (flow.sentBytes >= sizeBytes) return controller.close();
        if (pauseMs > 0 && flow.sentBytes > 0) await Bun.sleep(pauseMs);
        controller.enqueue(PIECE);
        flow.sentBytes += PIECE.length;
      },
      cancel() {
        flow.isLeft = true;
      },
    });
    return new Response(body, { headers: { "content-type": "video/mp4", ...more } });
  };
}

function aFlow(): Flow {
  return { sentBytes: 0, isLeft: false };
}

/** The same file by both ways in which files are fetched. */
const WAYS = ["open", "endpoint"] as const;

async function at(
  transport: (typeof WAYS)[number],
  respond: () => Response | Promise<Response>,
): Promise<string> {
  if (transport === "open") {
    place.elsewhere.files.set("/v.mp4", respond);
    return place.made(transport, [{ url: `${place.elsewhere.url}/v.mp4` }]);
  }
  const id = await place.made(transport, [{ url: "" }]);
  const row = place.db.query("SELECT upstream_id AS up FROM tasks WHERE id = ?").get(id);
  place.vendor.files.set(`/openai/videos/${(row as { up: string }).up}/content`, respond);
  return id;
}

/** A caller who reads when it is told to. */
function openSlowReader(id: string) {
  const { hostname, port } = new URL(place.gateway.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET /v1/videos/${id}/content HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${KEY}\r\n\r\n`,
  );
  socket.on("error", () => {});
  return socket;
}

async function readAll(answer: Response): Promise<number> {
  let sizeBytes = 0;
  for await (const piece of answer.body ?? []) sizeBytes += piece.length;
  return sizeBytes;
}

async function isCut(answer: Response): Promise<boolean> {
  return await readAll(answer).then(
    () => false,
    () => true,
  );
}

describe.each(WAYS)("a large file (%s)", (transport) => {
  test("may take longer than any call, as long as bytes arrive", async () => {
    const flow = aFlow();
    const id = await at(transport, flowing(flow, 6 * PIECE.length, 150));

    expect(await readAll(await place.content(id))).toBe(6 * PIECE.length);
  });

  test("is read at the speed of its client, which may pause for a while", async () => {
    const flow = aFlow();
    const socket = openSlowReader(await at(transport, flowing(flow, LARGE_BYTES)));
    await once(socket, "readable");
    socket.pause();
    let sent = -1;
    await waitFor(async () => {
      const before = sent;
      sent = flow.sentBytes;
      await Bun.sleep(100);
      return sent > 0 && before === flow.sentBytes;
    });
    // Longer than its server may be silent.
    await Bun.sleep(1_000);

    // What the system holds between four sockets, and hardly anything else.
    expect(flow.sentBytes).toBeLessThan(100 * MIB);
    expect(flow.isLeft).toBe(false);
    socket.destroy();
    await waitFor(() => flow.isLeft);
  });

  test("that its client stops reading is closed", async () => {
    const flow = aFlow();
    const leaving = new AbortController();
    const url = `${place.gateway.url}/v1/videos/${await at(transport, flowing(flow, LARGE_BYTES, 50))}/content`;
    const headers = { authorization: `Bearer ${KEY}` };
    const answer = await fetch(url, { headers, signal: leaving.signal });
    await answer.body?.getReader().read();

    leaving.abort();

    await waitFor(() => flow.isLeft);
    expect(flow.sentBytes).toBeLessThan(20 * MIB);
  });

  test("that stops arriving is aborted without a normal end", async () => {
    const id = await at(transport, flowing(aFlow(), 6 * PIECE.length, 5_000));

    expect(await isCut(await place.content(id))).toBe(true);
  });

  test("whose server sends nothing gets 504", async () => {
    const id = await at(transport, async () => {
      await Bun.sleep(3_000);
      return new Response(VIDEO);
    });

    expect((await place.content(id)).status).toBe(504);
  });

  test("that never ends is aborted at the size limit", async () => {
    const flow = aFlow();

    expect(await isCut(await place.content(await at(transport, flowing(flow, Infinity))))).toBe(
      true,
    );
    expect(flow.sentBytes).toBeLessThan(450 * MIB);
    await waitFor(() => flow.isLeft);
  });
});

test("a file whose server breaks off is aborted without a normal end", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncontent-length: 900000\r\n\r\n");
      socket.write(VIDEO, () => socket.destroy());
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await using other = await openContentPlace({ SLUICE_LINKS_PORTS: String(port) });
  const id = await other.made("open", [{ url: `http://127.0.0.1:${port}/v.mp4` }]);

  const whole = await other.content(id).then(isCut, () => true);
  server.close();

  expect(whole).toBe(true);
});

test("a file that announces a size above the limit is refused", async () => {
  const id = await at(
    "open",
    () => new Response(VIDEO, { headers: { "content-type": "video/mp4" } }),
  );
  await using other = await openContentPlace({ SLUICE_LIMIT_MEDIA_BYTES: "64KiB" });
  other.elsewhere.files.set("/v.mp4", () => new Response(VIDEO));

  const small = await other.content(
    await other.made("open", [{ url: `${other.elsewhere.url}/v.mp4` }]),
  );

  expect(small.status).toBe(502);
  expect((await place.content(id)).status).toBe(200);
});

test("a key has a limit of concurrent downloads, whose slots are released", async () => {
  const ids = await Promise.all(
    Array.from({ length: 4 }, () => at("open", flowing(aFlow(), LARGE_BYTES, 20))),
  );
  const sockets = ids.map(openSlowReader);
  await Promise.all(sockets.map((socket) => once(socket, "data")));

  const refused = await place.content(ids[0] ?? "");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "2"]);

  for (const socket of sockets) socket.destroy();
  const id = await at(
    "open",
    () => new Response(VIDEO, { headers: { "content-type": "video/mp4" } }),
  );
  await waitFor(async () => (await place.content(id)).status === 200);
});

test("clients that disconnect before their file was found release their slots", async () => {
  const operation = "projects/p/locations/l/publishers/google/models/m/operations/o1";
  const id = await place.made("inside", [{ url: "" }]);
  place.db.run("UPDATE tasks SET upstream_id = ? WHERE id = ?", [operation, id]);
  const found = Promise.withResolvers<void>();
  let asked = 0;
  place.vendor.files.set(
    "/vertex/v1/projects/p/locations/l/publishers/google/models/m:fetchPredictOperation",
    async () => {
      asked++;
      await found.promise;
      const bytesBase64Encoded = Buffer.from(videoOf(MIB)).toString("base64");
      const videos = [{ bytesBase64Encoded, mimeType: "video/mp4" }];
      return Response.json({ name: operation, done: true, response: { videos } });
    },
  );
  const sockets = Array.from({ length: 4 }, () => openSlowReader(id));
  await waitFor(() => asked === 4);

  for (const socket of sockets) socket.destroy();
  await place.gateway.get("/livez");
  found.resolve();

  await waitFor(async () => {
    const answer = await place.content(id);
    return answer.status === 200 && (await answer.bytes()).length === MIB;
  });
});

test("a stopping gateway waits for downloads, and then ends them", async () => {
  const flow = aFlow();
  const stopping = await openContentPlace({ SLUICE_LIMIT_DRAIN_MS: "300ms" });
  stopping.elsewhere.files.set("/v.mp4", flowing(flow, LARGE_BYTES, 100));
  const id = await stopping.made("open", [{ url: `${stopping.elsewhere.url}/v.mp4` }]);
  const answer = await stopping.content(id);

  const ended = isCut(answer);
  await stopping[Symbol.asyncDispose]();

  expect(await ended).toBe(true);
  await waitFor(() => flow.isLeft);
});
