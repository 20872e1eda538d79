import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { KEY } from "#test/harness.ts";
import { openS3Server } from "#test/s3-server.ts";
import { waitFor } from "#test/wait.ts";
import { openContentPlace, stored, VIDEO, videoOf, type ContentPlace } from "./content-place.ts";

const SECRET = "secret-of-the-media-store";
const FOLDER = { SLUICE_MEDIA_STORE: "folder" };

function inBucket(url: string): Record<string, string> {
  return {
    SLUICE_MEDIA_STORE: "s3",
    S3_ENDPOINT: url,
    S3_BUCKET: "videos",
    S3_ACCESS_KEY_ID: "media-key",
    S3_SECRET_ACCESS_KEY: SECRET,
  };
}

/** A task that its vendor finishes as soon as it is looked at. */
async function finishing(place: ContentPlace, bytes = VIDEO): Promise<string> {
  const id = await place.made("open", [], { status: "running", isSettled: false });
  place.elsewhere.files.set(`/${id}.mp4`, stored(bytes, { "content-type": "video/mp4" }));
  const up = upstreamOf(place, id);
  place.vendor.files.set(`/ark/contents/generations/tasks/${up}`, () =>
    Response.json({
      id: up,
      status: "succeeded",
      content: { video_url: `${place.elsewhere.url}/${id}.mp4` },
    }),
  );
  return id;
}

function upstreamOf({ db }: ContentPlace, id: string): string {
  return (db.query("SELECT upstream_id AS up FROM tasks WHERE id = ?").get(id) as { up: string })
    .up;
}

interface CopyRow {
  state: string;
  size_bytes: number;
  media_type: string;
  attempts: number;
}

function copyOf({ db }: ContentPlace, id: string): CopyRow | null {
  return db.query("SELECT * FROM media WHERE task_id = ?").get(id) as CopyRow | null;
}

async function copied(place: ContentPlace, id: string): Promise<void> {
  await waitFor(() => copyOf(place, id)?.state === "kept");
}

/** The vendor has forgotten it all. */
function forget({ vendor, elsewhere }: ContentPlace): void {
  for (const server of [vendor, elsewhere]) {
    server.files.clear();
    server.asked.length = 0;
  }
}

function filesIn({ gateway }: ContentPlace): string[] {
  const folder = join(gateway.dataDir, "media");
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

async function bytesOf(answer: Response): Promise<Uint8Array> {
  return new Uint8Array(await answer.arrayBuffer());
}

async function expectServed(place: ContentPlace, id: string): Promise<void> {
  const whole = await place.content(id);
  const etag = whole.headers.get("etag") ?? "";
  expect(whole.status).toBe(200);
  expect(whole.headers.get("content-type")).toBe("video/mp4");
  expect(await bytesOf(whole)).toEqual(VIDEO);
  const part = await place.content(id, { range: "bytes=99990-", "if-range": etag });
  expect(part.headers.get("content-range")).toBe("bytes 99990-99999/100000");
  expect(part.headers.get("content-length")).toBe("10");
  expect([part.status, await bytesOf(part)]).toEqual([206, VIDEO.slice(99_990)]);
  const other = await place.content(id, { range: "bytes=0-9", "if-range": '"another"' });
  expect([other.status, (await bytesOf(other)).length]).toEqual([200, VIDEO.length]);
  const beyond = await place.content(id, { range: "bytes=100000-" });
  expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, "bytes */100000"]);
  const head = await fetch(`${place.gateway.url}/v1/videos/${id}/content`, {
    method: "HEAD",
    headers: { authorization: `Bearer ${KEY}` },
  });
  expect(head.headers.get("content-length")).toBe("100000");
  expect(place.elsewhere.asked).toEqual([]);
}

describe("copies in a folder", () => {
  test("are available after the vendor's links expired, and have a digest", async () => {
    await using place = await openContentPlace(FOLDER);
    const id = await finishing(place);
    await copied(place, id);
    forget(place);

    await expectServed(place, id);
    expect(copyOf(place, id)).toMatchObject({ size_bytes: 100_000, media_type: "video/mp4" });
    const digest = new Bun.CryptoHasher("sha256").update(VIDEO).digest("hex");
    expect((await place.content(id)).headers.get("etag")).toBe(`"${digest}"`);
    expect(filesIn(place).map((path) => readFileSync(path).length)).toEqual([VIDEO.length]);
  });

  test("are the target of links in every protocol", async () => {
    await using place = await openContentPlace(FOLDER);
    const id = await finishing(place);
    await copied(place, id);

    const unified = await place.gateway.get(`/v1/video/generations/${id}`);
    const tasks = await place.gateway.get(`/videoa/api/v3/contents/generations/tasks/${id}`);

    const link = `${place.gateway.url}/v1/videos/${id}/content`;
    expect(await unified.json()).toMatchObject({ url: link });
    // Clients of this protocol read results without a key, so the link to them is signed.
    const { content } = (await tasks.json()) as { content: { video_url: string } };
    expect(content.video_url).toStartWith(`${place.gateway.url}/v1/videos/${id}/file?`);
    const shown = await fetch(content.video_url);
    expect(Buffer.from(await shown.arrayBuffer()).equals(VIDEO)).toBe(true);
  });

  test("of another user are not found", async () => {
    await using place = await openContentPlace(FOLDER);
    const id = await finishing(place);
    await copied(place, id);
    place.db.run("UPDATE tasks SET user_id = 2 WHERE id = ?", [id]);

    expect((await place.content(id)).status).toBe(404);
  });

  test("are not made unless they are configured", async () => {
    await using place = await openContentPlace();
    const id = await finishing(place);
    await waitFor(async () => (await place.content(id)).status === 200);

    expect(copyOf(place, id)).toBeNull();
    expect(filesIn(place)).toEqual([]);
  });

  test("that are missing on disk are downloaded from the vendor", async () => {
    await using place = await openContentPlace(FOLDER);
    const id = await finishing(place);
    await copied(place, id);
    for (const path of filesIn(place)) rmSync(path);

    expect(await bytesOf(await place.content(id))).toEqual(VIDEO);
    expect(place.elsewhere.asked.length).toBe(2);
  });

  test("are removed with their task", async () => {
    await using place = await openContentPlace(FOLDER);
    const ids = [await finishing(place), await finishing(place)];
    for (const id of ids) await copied(place, id);
    const deleted = await fetch(`${place.gateway.url}/v1/videos/${ids[0]}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect(deleted.status).toBe(200);
    expect((await place.content(ids[0] ?? "")).status).toBe(404);

    await waitFor(() => copyOf(place, ids[0] ?? "") === null, 20_000);

    expect(filesIn(place).join()).toContain(ids[1] ?? "?");
    expect(filesIn(place)).toHaveLength(1);
  }, 30_000);

  test("are of permitted files only, and refused ones leave nothing behind", async () => {
    await using place = await openContentPlace({ ...FOLDER, SLUICE_LIMIT_MEDIA_BYTES: "64KiB" });
    const id = await finishing(place);

    await waitFor(() => (copyOf(place, id)?.attempts ?? 0) > 0);

    expect(copyOf(place, id)?.state).toBe("wanted");
    expect(filesIn(place)).toEqual([]);
  });

  test("do not delay the shutdown, even if a client reads slowly", async () => {
    const place = await openContentPlace({ ...FOLDER, SLUICE_LIMIT_DRAIN_MS: "100ms" });
    const id = await finishing(place, videoOf(60_000_000));
    await copied(place, id);
    const { hostname, port } = new URL(place.gateway.url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.write(
      `GET /v1/videos/${id}/content HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${KEY}\r\n\r\n`,
    );
    await once(socket, "readable");
    socket.pause();

    await place[Symbol.asyncDispose]();

    socket.destroy();
  });

  test("are made while a slow server is still sending another one", async () => {
    await using place = await openContentPlace(FOLDER);
    const answers = Promise.withResolvers<Response>();
    const slow = await finishing(place);
    place.elsewhere.files.set(`/${slow}.mp4`, () => answers.promise);
    await waitFor(() => place.elsewhere.asked.some(({ path }) => path === `/${slow}.mp4`));

    const quick = await finishing(place);
    await copied(place, quick).finally(() => answers.resolve(new Response(VIDEO)));

    await copied(place, slow);
  });

  test("are made after the next start if one was interrupted", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-media-"));
    const first = await openContentPlace(FOLDER, dataDir);
    const id = await finishing(first);
    const begun = Promise.withResolvers<void>();
    first.elsewhere.files.set(`/${id}.mp4`, () => {
      begun.resolve();
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(VIDEO),
      });
      return new Response(body, { headers: { "content-type": "video/mp4" } });
    });
    await begun.promise;
    await first[Symbol.asyncDispose]();

    const second = await openContentPlace(FOLDER, dataDir);
    const url = `${second.elsewhere.url}/${id}.mp4`;
    second.elsewhere.files.set(`/${id}.mp4`, stored(VIDEO));
    const details = `replace(details, '${first.elsewhere.url}/${id}.mp4', '${url}')`;
    second.db.run(`UPDATE tasks SET details = ${details}`);
    await copied(second, id);
    forget(second);

    await expectServed(second, id);
    await second[Symbol.asyncDispose]();
    rmSync(dataDir, { recursive: true });
  });
});

describe("copies in a bucket", () => {
  test("are available after the vendor's links expired", async () => {
    await using s3 = openS3Server("media-key");
    await using place = await openContentPlace(inBucket(s3.url));
    const id = await finishing(place);
    await copied(place, id);
    forget(place);

    await expectServed(place, id);
    expect([...s3.objects.keys()]).toEqual([`/videos/${id}/0-video`]);
    expect(s3.objects.get(`/videos/${id}/0-video`)?.type).toBe("video/mp4");
    // What was on its way is not left behind.
    expect(filesIn(place)).toEqual([]);
  });

  test("may be larger than one upload to the bucket", async () => {
    await using s3 = openS3Server("media-key");
    await using place = await openContentPlace(inBucket(s3.url));
    const large = videoOf(23_000_001);
    const id = await finishing(place, large);
    await copied(place, id);
    forget(place);

    expect(await bytesOf(await place.content(id))).toEqual(large);
    const part = await place.content(id, { range: "bytes=22999999-" });
    expect(await bytesOf(part)).toEqual(large.slice(22_999_999));
  });

  test("are removed from the bucket with their task", async () => {
    await using s3 = openS3Server("media-key");
    await using place = await openContentPlace(inBucket(s3.url));
    const id = await finishing(place);
    await copied(place, id);
    place.db.run("UPDATE media SET created_at = 0");

    await waitFor(() => s3.objects.size === 0, 20_000);
    await waitFor(() => copyOf(place, id) === null);
  }, 30_000);

  test("that cannot be read are downloaded from the vendor, and failed ones are retried", async () => {
    await using s3 = openS3Server("media-key");
    await using place = await openContentPlace(inBucket(s3.url));
    const kept = await finishing(place);
    await copied(place, kept);
    s3.failure = () => new Response("down", { status: 503 });
    const missed = await finishing(place);
    await waitFor(() => (copyOf(place, missed)?.attempts ?? 0) > 0);

    expect(await bytesOf(await place.content(kept))).toEqual(VIDEO);
    expect(await bytesOf(await place.content(missed))).toEqual(VIDEO);
    expect(copyOf(place, missed)?.state).toBe("wanted");
    s3.failure = undefined;
    place.db.run("UPDATE media SET due_at = 0");
    await copied(place, missed);
  });
});
