import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { KEY } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";
import {
  openContentPlace,
  SECRET,
  stored,
  VIDEO,
  videoOf,
  type ContentPlace,
} from "./content-place.ts";

let place: ContentPlace;
beforeAll(async () => {
  place = await openContentPlace();
});
afterAll(() => place[Symbol.asyncDispose]());
beforeEach(() => {
  for (const { asked, files } of [place.vendor, place.elsewhere]) {
    asked.length = 0;
    files.clear();
  }
});

/** A finished task whose one video is behind an open link. */
function open(more: Record<string, string> = {}, path = "/v.mp4"): Promise<string> {
  place.elsewhere.files.set(path, stored(VIDEO, more));
  return place.made("open", [{ url: place.elsewhere.url + path }]);
}

async function bytesOf(answer: Response): Promise<Uint8Array> {
  return new Uint8Array(await answer.arrayBuffer());
}

async function messageOf(answer: Response): Promise<string> {
  const body = (await answer.json()) as { error: { message: string; type: string } };
  return body.error.message;
}

describe("the file of a finished video", () => {
  test("[B4.8] is sent unchanged to its owner only, and may be cached for a day", async () => {
    const id = await open({
      "last-modified": "Fri, 20 Nov 2026 10:00:00 GMT",
      "set-cookie": "session=vendor",
      "x-amz-request-id": "amz-1",
      "content-disposition": "attachment; filename=evil.html",
      "access-control-allow-origin": "*",
    });

    const answer = await place.content(id);

    expect(answer.status).toBe(200);
    expect(await bytesOf(answer)).toEqual(VIDEO);
    const headers = Object.fromEntries(answer.headers);
    expect(headers).toMatchObject({
      "content-type": "video/mp4",
      "cache-control": "public, max-age=86400",
      vary: "authorization, x-api-key, api-key",
      "x-content-type-options": "nosniff",
      "content-disposition": `inline; filename="${id}.mp4"`,
      "accept-ranges": "bytes",
      etag: '"v1"',
      "last-modified": "Fri, 20 Nov 2026 10:00:00 GMT",
    });
    for (const name of [
      "set-cookie",
      "x-amz-request-id",
      "access-control-allow-origin",
      "server",
    ]) {
      expect(headers).not.toHaveProperty(name);
    }
  });

  test("is the same below the other prefix, and for a key in a vendor's header", async () => {
    const id = await open();
    const url = `${place.gateway.url}/openai/v1/videos/${id}/content`;

    const answer = await fetch(url, { headers: { "x-goog-api-key": KEY } });

    expect(await bytesOf(answer)).toEqual(VIDEO);
    expect(answer.headers.get("vary")).toBe("authorization, x-api-key, api-key, x-goog-api-key");
    expect((await fetch(`${url}?key=${KEY}`)).status).toBe(200);
  });

  test.each([
    ["submitting", "queued"],
    ["submit_unknown", "queued"],
    ["queued", "queued"],
    ["running", "in_progress"],
    ["failed", "failed"],
  ] as const)("[B4.8] of a task that is %s gets 400 with '%s'", async (status, word) => {
    const id = await place.made("open", [], { status });

    const answer = await place.content(id);

    expect(answer.status).toBe(400);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const body = (await answer.json()) as { error: { message: string; type: string } };
    expect(body.error.type).toBe("invalid_request_error");
    expect(body.error.message).toContain(`'${word}'`);
    expect((await place.gateway.get(`/v1/videos/${id}/content`)).status).toBe(400);
  });

  test("of another user is not found, without an upstream call", async () => {
    const url = `${place.elsewhere.url}/v.mp4`;
    place.elsewhere.files.set("/v.mp4", stored(VIDEO));
    const foreign = [
      await place.made("open", [{ url }], { userId: 2 }),
      await place.made("endpoint", [{ url: "" }], { userId: 2 }),
      await place.made("keyed", [{ url: `${place.vendor.url}/gemini/f` }], { userId: 2 }),
    ];
    const unknown = await place.content("task_nobodys");

    const seen = [];
    for (const id of foreign) {
      for (const headers of [{}, { range: "bytes=0-1" }]) {
        const answer = await place.content(id, headers);
        seen.push([answer.status, await answer.json()]);
      }
      const path = `${place.gateway.url}/v1/videos/${id}/content`;
      const authorization = `Bearer ${KEY}`;
      const head = await fetch(path, { method: "HEAD", headers: { authorization } });
      expect(head.status).toBe(404);
      expect((await fetch(path)).status).toBe(401);
    }

    const expected = [404, await unknown.json()];
    expect(seen).toEqual(seen.map(() => expected));
    expect([...place.vendor.asked, ...place.elsewhere.asked]).toEqual([]);
  });

  test.each([
    ["application/octet-stream", "video/mp4"],
    ["binary/octet-stream", "video/mp4"],
    ["text/plain", "video/mp4"],
    ["video/mp4; codecs=avc1", "video/mp4"],
    ["video/quicktime", "video/quicktime"],
  ])("with the type %s from its server has the type %s", async (said, type) => {
    const answer = await place.content(await open({ "content-type": said }));

    expect(answer.headers.get("content-type")).toBe(type);
    expect(await bytesOf(answer)).toEqual(VIDEO);
  });

  test.each([
    ["a page", "text/html", "<!doctype html><script>alert(1)</script>"],
    ["a page that calls itself a video", "video/mp4", "  <html><script>alert(1)</script></html>"],
    ["a document that tells of a failure", "application/json", '{"error":"the video has expired"}'],
    ["of an unknown type", "application/octet-stream", "no video begins like this, at all"],
    ["nothing", "video/mp4", ""],
  ])("that is %s is not returned", async (_what, type, text) => {
    place.elsewhere.files.set(
      "/page",
      () => new Response(text, { headers: { "content-type": type } }),
    );
    const id = await place.made("open", [{ url: `${place.elsewhere.url}/page` }]);

    const answer = await place.content(id);

    expect(answer.status).toBe(502);
    expect(await answer.text()).not.toContain("alert");
  });

  test("is selected by its number if there are several", async () => {
    place.elsewhere.files.set("/1.mp4", stored(VIDEO.slice(0, 5_000)));
    const videos = [0, 1].map((at) => ({ url: `${place.elsewhere.url}/${at}.mp4` }));
    const id = await place.made("open", videos);

    expect((await bytesOf(await place.content(id, {}, "?index=1"))).length).toBe(5_000);
    expect((await place.content(id, {}, "?index=2")).status).toBe(404);
    expect((await place.content(id, {}, "?index=-1")).status).toBe(400);
    expect((await place.content(id, {}, "?variant=poster")).status).toBe(400);
  });

  test("has images beside it if its vendor made some", async () => {
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452000000020000000208020000", "hex");
    const svg = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
    place.elsewhere.files.set("/c.png", stored(png, { "content-type": "image/png" }));
    place.elsewhere.files.set(
      "/c.svg",
      stored(Buffer.from(svg), { "content-type": "image/svg+xml" }),
    );
    const url = `${place.elsewhere.url}/v.mp4`;
    const cover = { url, coverUrl: `${place.elsewhere.url}/c.png` };
    const id = await place.made("open", [
      { ...cover, lastFrameUrl: `${place.elsewhere.url}/c.svg` },
    ]);

    const answer = await place.content(id, {}, "?variant=thumbnail");

    expect(answer.headers.get("content-type")).toBe("image/png");
    expect(answer.headers.get("content-disposition")).toContain(`${id}-thumbnail.png`);
    expect((await bytesOf(answer)).length).toBe(png.length);
    expect((await place.content(id, {}, "?variant=last_frame")).status).toBe(502);
    expect((await place.content(id, {}, "?variant=spritesheet")).status).toBe(404);
  });
});

describe("a part of a file", () => {
  test.each([
    ["bytes=0-0", 0, 1],
    ["bytes=0-1", 0, 2],
    ["bytes=10-19", 10, 20],
    ["bytes=99990-", 99_990, 100_000],
    ["bytes=-7", 99_993, 100_000],
    ["bytes=50000-999999", 50_000, 100_000],
  ])("%s is returned as requested, with its length", async (range, start, end) => {
    const id = await open();

    const answer = await place.content(id, { range });

    expect(answer.status).toBe(206);
    expect(answer.headers.get("content-range")).toBe(`bytes ${start}-${end - 1}/100000`);
    expect(answer.headers.get("content-length")).toBe(String(end - start));
    expect(answer.headers.get("content-type")).toBe("video/mp4");
    expect(await bytesOf(answer)).toEqual(VIDEO.slice(start, end));
    expect(place.elsewhere.asked[0]?.headers.get("range")).toBe(range);
  });

  test("beyond its end gets 416 with the file's size", async () => {
    const answer = await place.content(await open(), { range: "bytes=100000-" });

    expect(answer.status).toBe(416);
    expect(answer.headers.get("content-range")).toBe("bytes */100000");
  });

  test("is single: several ranges get 416", async () => {
    const id = await open();
    const range = `bytes=${Array.from({ length: 10_000 }, (_, at) => `${at}-${at}`).join(",")}`;

    for (const several of ["bytes=0-1,5-6", range.slice(0, 8_000)]) {
      expect((await place.content(id, { range: several })).status).toBe(416);
    }
    expect(place.elsewhere.asked).toEqual([]);
  });

  test.each(["lines=0-1", "bytes=a-b", "bytes=5-3", "bytes=-"])(
    "with an invalid range (%s) is the whole file",
    async (range) => {
      const answer = await place.content(await open(), { range });

      expect(answer.status).toBe(200);
      expect(await bytesOf(answer)).toEqual(VIDEO);
      expect(place.elsewhere.asked[0]?.headers.get("range")).toBeNull();
    },
  );

  test("of a file that has changed is the whole new file", async () => {
    const id = await open();

    const same = await place.content(id, { range: "bytes=0-9", "if-range": '"v1"' });
    const other = await place.content(id, { range: "bytes=0-9", "if-range": '"v0"' });

    expect([same.status, other.status]).toEqual([206, 200]);
    expect((await bytesOf(other)).length).toBe(VIDEO.length);
  });

  test("is the whole file if its server supports no ranges", async () => {
    place.elsewhere.files.set(
      "/w",
      () => new Response(VIDEO, { headers: { "content-type": "video/mp4" } }),
    );
    const id = await place.made("open", [{ url: `${place.elsewhere.url}/w` }]);

    const answer = await place.content(id, { range: "bytes=10-19" });

    expect([answer.status, (await bytesOf(answer)).length]).toEqual([200, VIDEO.length]);
  });

  test("requested by HEAD has length and type, and reads almost nothing", async () => {
    const id = await open();
    const authorization = `Bearer ${KEY}`;

    const answer = await fetch(`${place.gateway.url}/v1/videos/${id}/content`, {
      method: "HEAD",
      headers: { authorization, range: "bytes=5-9" },
    });

    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-length")).toBe("100000");
    expect(answer.headers.get("content-type")).toBe("video/mp4");
    expect(answer.headers.get("content-range")).toBeNull();
    expect(await bytesOf(answer)).toEqual(new Uint8Array());
    // A link that is signed for GET answers no HEAD.
    expect(
      place.elsewhere.asked.map(({ method, headers }) => [method, headers.get("range")]),
    ).toEqual([["GET", "bytes=0-63"]]);
  });
});

describe("the credential of a channel", () => {
  test("is sent to its own endpoint, with the range, for the video and its variants", async () => {
    const id = await place.made("endpoint", [{ url: "", id: "v" }]);
    const { place: at } = taskOf(id);
    place.vendor.files.set(`/openai/videos/${at}/content`, stored(VIDEO));
    const webp = Buffer.from(`RIFF....WEBPVP8 ${"x".repeat(50)}`);
    place.vendor.files.set(
      `/openai/videos/${at}/content?variant=thumbnail`,
      stored(webp, { "content-type": "image/webp" }),
    );

    const answer = await place.content(id, { range: "bytes=7-9" });
    const thumbnail = await place.content(id, {}, "?variant=thumbnail");

    expect(answer.status).toBe(206);
    expect(await bytesOf(answer)).toEqual(VIDEO.slice(7, 10));
    expect(thumbnail.headers.get("content-type")).toBe("image/webp");
    const [first] = place.vendor.asked;
    expect(first?.headers.get("authorization")).toBe(`Bearer ${SECRET}`);
    expect(first?.headers.get("range")).toBe("bytes=7-9");
    expect(JSON.stringify(Object.fromEntries(answer.headers))).not.toContain(SECRET);
  });

  test("is the one that the task was created with", async () => {
    const id = await place.made("endpoint", [{ url: "" }]);
    place.db.run("UPDATE tasks SET credential = '...else' WHERE id = ?", [id]);

    const answer = await place.content(id);

    expect(answer.status).not.toBe(200);
    expect(place.vendor.asked).toEqual([]);
  });

  test("is sent with links to the channel's own address", async () => {
    place.vendor.files.set("/gemini/files/a:download?alt=media", stored(VIDEO));
    const id = await place.made("keyed", [
      { url: `${place.vendor.url}/gemini/files/a:download?alt=media` },
    ]);

    expect(await bytesOf(await place.content(id))).toEqual(VIDEO);
    expect(place.vendor.asked[0]?.headers.get("x-goog-api-key")).toBe(SECRET);
  });

  test("is sent nowhere else: neither to a link nor after a redirect", async () => {
    place.elsewhere.files.set("/v.mp4", stored(VIDEO));
    const there = `${place.elsewhere.url}/v.mp4`;
    place.vendor.files.set("/gemini/moved", () => Response.redirect(there, 302));
    place.vendor.files.set("/gemini/again", () => Response.redirect("/gemini/moved", 307));

    const { url: vendor } = place.vendor;
    for (const url of [there, `${vendor}/gemini/moved`, `${vendor}/gemini/again`]) {
      const id = await place.made("keyed", [{ url }]);
      const answer = await place.content(id, { range: "bytes=1-2" });
      expect(await bytesOf(answer)).toEqual(VIDEO.slice(1, 3));
    }

    expect(place.elsewhere.asked.map(({ headers }) => headers.get("range"))).toEqual(
      Array(3).fill("bytes=1-2"),
    );
    for (const { headers } of place.elsewhere.asked) {
      expect(JSON.stringify(Object.fromEntries(headers))).not.toContain(SECRET);
    }
  });

  test("is not sent to open links", async () => {
    place.vendor.files.set("/ark/v.mp4", stored(VIDEO));
    const id = await place.made("open", [{ url: `${place.vendor.url}/ark/v.mp4` }]);

    expect((await place.content(id)).status).toBe(200);
    expect(place.vendor.asked[0]?.headers.get("authorization")).toBeNull();
  });

  test("that is refused is reported as the gateway's error, without the vendor's message", async () => {
    const id = await place.made("endpoint", [{ url: "" }]);
    place.vendor.files.set(
      `/openai/videos/${taskOf(id).place}/content`,
      () => new Response(`no access for ${SECRET}`, { status: 401 }),
    );

    const answer = await place.content(id);

    expect(answer.status).toBe(502);
    expect(await answer.text()).not.toContain(SECRET);
  });
});

function taskOf(id: string): { place: string } {
  const row = place.db.query("SELECT upstream_id AS place FROM tasks WHERE id = ?").get(id);
  return row as { place: string };
}

describe("a video without a link", () => {
  const base64 = Buffer.from(VIDEO).toString("base64");

  test("is read from its vendor's response", async () => {
    const operation = "projects/p/locations/l/publishers/google/models/m/operations/o1";
    const id = await place.made("inside", [{ url: "" }]);
    place.db.run("UPDATE tasks SET upstream_id = ? WHERE id = ?", [operation, id]);
    place.vendor.files.set(
      "/vertex/v1/projects/p/locations/l/publishers/google/models/m:fetchPredictOperation",
      () =>
        Response.json({
          name: operation,
          done: true,
          response: { videos: [{ bytesBase64Encoded: base64, mimeType: "video/mp4" }] },
        }),
    );

    expect(await bytesOf(await place.content(id))).toEqual(VIDEO);
    const part = await place.content(id, { range: "bytes=49151-49155" });
    expect([part.status, await bytesOf(part)]).toEqual([206, VIDEO.slice(49_151, 49_156)]);
  });

  test("is still available after many clients disconnected before their vendor responded", async () => {
    const answers = Promise.withResolvers<void>();
    const id = await place.made("inside", [{ url: "" }]);
    const operation = "projects/p/locations/l/publishers/google/models/m/operations/o2";
    place.db.run("UPDATE tasks SET upstream_id = ? WHERE id = ?", [operation, id]);
    const large = Buffer.from(videoOf(600_000)).toString("base64");
    const path =
      "/vertex/v1/projects/p/locations/l/publishers/google/models/m:fetchPredictOperation";
    place.vendor.files.set(path, async () => {
      await answers.promise;
      const videos = [{ bytesBase64Encoded: large, mimeType: "video/mp4" }];
      return Response.json({ name: operation, done: true, response: { videos } });
    });
    const { length: before } = place.vendor.asked;
    const leaving = new AbortController();
    const url = `${place.gateway.url}/v1/videos/${id}/content`;
    const headers = { authorization: `Bearer ${KEY}` };
    const left = Array.from({ length: 4 }, () => fetch(url, { headers, signal: leaving.signal }));
    await waitFor(() => place.vendor.asked.length === before + left.length);

    leaving.abort();
    await Promise.allSettled(left);
    await Bun.sleep(200);
    answers.resolve();

    expect((await bytesOf(await place.content(id))).length).toBe(600_000);
  });

  test("is not awaited after its client disconnected", async () => {
    const id = await place.made("inside", [{ url: "" }]);
    const operation = "projects/p/locations/l/publishers/google/models/m/operations/o3";
    place.db.run("UPDATE tasks SET upstream_id = ? WHERE id = ?", [operation, id]);
    const answers = Promise.withResolvers<Response>();
    place.vendor.files.set(
      "/vertex/v1/projects/p/locations/l/publishers/google/models/m:fetchPredictOperation",
      () => answers.promise,
    );
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${KEY}` };
    const { cut } = place.vendor;
    const left = fetch(`${place.gateway.url}/v1/videos/${id}/content`, {
      headers,
      signal: leaving.signal,
    });
    await waitFor(() => place.vendor.asked.length === 1);

    leaving.abort();
    await Promise.allSettled([left]);

    await waitFor(() => place.vendor.cut > cut, 5_000);
    answers.resolve(new Response("late"));
  });

  test("is read from a data URI", async () => {
    const id = await place.made("open", [{ url: `data:video/mp4;base64,${base64}` }]);

    const whole = await place.content(id);
    const tail = await place.content(id, { range: "bytes=-3" });

    expect(whole.headers.get("content-type")).toBe("video/mp4");
    expect(await bytesOf(whole)).toEqual(VIDEO);
    expect(tail.headers.get("content-range")).toBe("bytes 99997-99999/100000");
    expect(await bytesOf(tail)).toEqual(VIDEO.slice(-3));
    expect((await place.content(id, { range: "bytes=100000-" })).status).toBe(416);
  });

  test("is an error if the link contains no file", async () => {
    for (const url of ["data:,hello", "data:text/html;base64,PGh0bWw+", "ftp://example.com/v"]) {
      expect((await place.content(await place.made("open", [{ url }]))).status).toBe(502);
    }
  });
});

test.each(['"v1"', 'W/"v1"', '"v0", "v1"', "*"])(
  "a client with the current file, %s, gets no body",
  async (known) => {
    const id = await open();

    const answer = await place.content(id, { "if-none-match": known });

    expect([answer.status, answer.headers.get("etag")]).toEqual([304, '"v1"']);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=86400");
    expect(await bytesOf(answer)).toHaveLength(0);
  },
);

test("a client with another file gets the current one", async () => {
  const answer = await place.content(await open(), { "if-none-match": '"v0"' });

  expect(answer.status).toBe(200);
  expect(await bytesOf(answer)).toEqual(VIDEO);
});

describe("a link to a blocked address", () => {
  test.each([
    ["by itself", (port: string) => `http://127.0.0.2:${port}/v.mp4`],
    ["to metadata", () => "http://169.254.169.254/latest/meta-data"],
    ["by a name", (port: string) => `http://localhost:${port}/v.mp4`],
    ["with a login", (port: string) => `http://user:pass@127.0.0.1:${port}/v.mp4`],
    ["by another port", () => "http://127.0.0.1:1/v.mp4"],
  ])("is not followed (%s)", async (_how, urlOf) => {
    place.elsewhere.files.set("/v.mp4", stored(VIDEO));
    const url = urlOf(new URL(place.elsewhere.url).port);

    const answer = await place.content(await place.made("open", [{ url }]));

    expect(answer.status).toBe(502);
    expect(await messageOf(answer)).not.toContain("127.0.0");
    expect(place.elsewhere.asked).toEqual([]);
  });

  test("is not reached by redirects of any server", async () => {
    const inner = Bun.serve({
      hostname: "127.0.0.2",
      port: 0,
      fetch: () => stored(VIDEO)(ANY_VALUE),
    });
    let connections = 0;
    const ANY_VALUE = { path: "", method: "GET", headers: new Headers() };
    inner.reload({
      fetch() {
        connections++;
        return stored(VIDEO)(ANY_VALUE);
      },
    });
    const to = `http://127.0.0.2:${inner.port}/v.mp4`;
    place.elsewhere.files.set("/in", () => Response.redirect(to, 302));
    for (const path of ["/ark/in", "/gemini/in"]) {
      place.vendor.files.set(path, () => Response.redirect(to, 302));
    }

    const ids = [
      await place.made("open", [{ url: `${place.elsewhere.url}/in` }]),
      await place.made("open", [{ url: `${place.vendor.url}/ark/in` }]),
      await place.made("keyed", [{ url: `${place.vendor.url}/gemini/in` }]),
    ];
    for (const id of ids) expect((await place.content(id)).status).toBe(502);
    await inner.stop(true);

    expect(connections).toBe(0);
  });

  test("is an error if it redirects in a loop", async () => {
    for (const server of [place.elsewhere, place.vendor]) {
      server.files.set("/gemini/loop", () => Response.redirect("/gemini/loop", 302));
    }

    for (const { url } of [place.elsewhere, place.vendor]) {
      expect(
        (await place.content(await place.made("keyed", [{ url: `${url}/gemini/loop` }]))).status,
      ).toBe(502);
    }

    expect(place.elsewhere.asked.length).toBeLessThanOrEqual(4);
    expect(place.vendor.asked.length).toBeLessThanOrEqual(4);
  });
});

describe("an expired link", () => {
  /** What the vendor says of a task when it is asked anew. */
  function looked(id: string, url: string): void {
    const { place: at } = taskOf(id);
    place.vendor.files.set(`/ark/contents/generations/tasks/${at}`, () =>
      Response.json({ id: at, status: "succeeded", content: { video_url: url } }),
    );
  }

  test.each([403, 404, 410])("(%i) is renewed once for all waiting clients", async (status) => {
    place.elsewhere.files.set("/old", () => new Response("expired", { status }));
    place.elsewhere.files.set("/new", stored(VIDEO));
    const id = await place.made("open", [{ url: `${place.elsewhere.url}/old` }]);
    looked(id, `${place.elsewhere.url}/new`);

    const answers = await Promise.all(Array.from({ length: 8 }, () => place.content(id)));
    const later = await place.content(id);

    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(200));
    expect(await bytesOf(later)).toEqual(VIDEO);
    expect(place.vendor.asked).toHaveLength(1);
    expect(place.elsewhere.asked.at(-1)?.path).toBe("/new");
  });

  test("by its own expiry time is not requested before its renewal", async () => {
    place.elsewhere.files.set("/new", stored(VIDEO));
    const url = `${place.elsewhere.url}/old`;
    const id = await place.made("open", [{ url }], { linksEndAt: Date.now() - 1 });
    looked(id, `${place.elsewhere.url}/new`);

    expect((await place.content(id)).status).toBe(200);
    expect(place.elsewhere.asked.map(({ path }) => path)).toEqual(["/new"]);
  });

  test("without a replacement gets 410, and its vendor is not asked again at once", async () => {
    const id = await place.made("open", [{ url: `${place.elsewhere.url}/old` }]);
    looked(id, `${place.elsewhere.url}/old`);

    const answers = [await place.content(id), await place.content(id)];

    expect(answers.map(({ status }) => status)).toEqual([410, 410]);
    for (const answer of answers) {
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(await messageOf(answer)).toContain("no longer exists");
    }
    expect(place.vendor.asked).toHaveLength(1);
  });

  test("of an endpoint gets 410 too", async () => {
    expect((await place.content(await place.made("endpoint", [{ url: "" }]))).status).toBe(410);
  });

  test("whose vendor cannot be reached gets the vendor's error, not 410", async () => {
    const id = await place.made("open", [{ url: `${place.elsewhere.url}/old` }]);
    const path = `/ark/contents/generations/tasks/${taskOf(id).place}`;
    place.vendor.files.set(path, () => new Response("down", { status: 500 }));

    expect((await place.content(id)).status).toBe(502);
  });

  test("of a deleted channel is still followed if it is open", async () => {
    const id = await open();
    place.db.run("UPDATE tasks SET channel = 'removed' WHERE id = ?", [id]);

    expect((await place.content(id)).status).toBe(200);
  });
});
