import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { channelOf, UPSTREAMS } from "#test/matrix/upstreams.ts";

/** Two by two pixels. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGP4z8DAAMQMEAoAHwQC/tuFLYcAAAAASUVORK5CYII=",
  "base64",
);

const gemini = UPSTREAMS.find(({ id }) => id === "gemini");
if (gemini === undefined) throw new Error("There is no such upstream.");
const upstream = gemini;

describe("a link to an image, for an upstream that follows no links", () => {
  let sandbox: Sandbox;
  let pictures: ReturnType<typeof Bun.serve>;
  let gateway: TestGateway;
  let asked = 0;
  /** Hangs up on whoever comes. */
  let rude: Server;
  let rudePort = 0;
  beforeAll(async () => {
    rude = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(rude, "listening");
    rudePort = (rude.address() as AddressInfo).port;
    sandbox = await startSandbox();
    pictures = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        asked++;
        const { pathname } = new URL(request.url);
        if (pathname === "/moved") return Response.redirect("/picture.png", 302);
        if (pathname === "/inside") return Response.redirect("http://127.0.0.2/", 302);
        if (pathname === "/heavy.png")
          return new Response(Buffer.concat([PICTURE, Buffer.alloc(1_000_000)]));
        if (pathname === "/large") return new Response(new Uint8Array(2_000_000));
        if (pathname !== "/picture.png") return new Response("no", { status: 404 });
        // The header lies.
        return new Response(PICTURE, { headers: { "content-type": "text/plain" } });
      },
    });
    gateway = await openTestGateway({
      yaml: channelOf(upstream, sandbox.url),
      env: {
        SLUICE_LINKS_ALLOW: "127.0.0.1",
        SLUICE_LINKS_PORTS: `80,443,${pictures.port},${rudePort}`,
        SLUICE_LIMIT_LINK_BYTES: "1MiB",
      },
    });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await pictures.stop(true);
    rude.close();
    await sandbox.stop();
  });

  const ask = (...urls: string[]): Promise<Response> =>
    gateway.post("/v1/chat/completions", {
      model: upstream.model,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Describe this picture." },
            ...urls.map((url) => ({ type: "image_url", image_url: { url } })),
          ],
        },
      ],
    });

  test.each(["/picture.png", "/moved"])(
    "is followed, and the image sent instead (%s)",
    async (path) => {
      const answer = await ask(`http://127.0.0.1:${pictures.port}${path}`);

      expect(await answer.text()).toContain("2 by 2 pixel PNG");
      expect(JSON.stringify(sandbox.requests.at(-1)?.body)).toContain(
        JSON.stringify({ mimeType: "image/png", data: PICTURE.toString("base64") }).slice(1, -1),
      );
    },
  );

  test("that cannot be downloaded is the client's error, and no failure of the channel", async () => {
    for (let i = 0; i < 6; i++) {
      const answer = await ask(`http://127.0.0.1:${rudePort}/picture.png`);
      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.stringContaining("A link in this request cannot be used"),
      ]);
    }

    expect((await ask(`http://127.0.0.1:${pictures.port}/picture.png`)).status).toBe(200);
  });

  test("that occurs twice in a request is followed once", async () => {
    const url = `http://127.0.0.1:${pictures.port}/picture.png`;
    asked = 0;

    expect((await ask(url, url)).status).toBe(200);
    expect(asked).toBe(1);
  });

  test("whose repetitions exceed the content limit of all vendors is refused", async () => {
    const url = `http://127.0.0.1:${pictures.port}/heavy.png`;
    const before = sandbox.requests.length;

    const answer = await ask(...Array.from({ length: 80 }, () => url));

    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ error: { type: "invalid_request_error" } });
    expect(sandbox.requests.length).toBe(before);
  });

  test.each<[string, string, number]>([
    ["into a network that is not open", "http://127.0.0.2/picture.png", 400],
    ["by a redirect into one", "/inside", 400],
    ["to a port that is not open", "http://127.0.0.1:1/picture.png", 400],
    ["to nothing", "/nothing", 400],
    ["to more than may be", "/large", 413],
  ])(
    "that leads %s is the client's error, and reaches no upstream",
    async (_where, link, status) => {
      const before = sandbox.requests.length;

      const answer = await ask(
        link.startsWith("/") ? `http://127.0.0.1:${pictures.port}${link}` : link,
      );

      expect(answer.status).toBe(status);
      expect(await answer.json()).toMatchObject({ error: { type: "invalid_request_error" } });
      expect(sandbox.requests.length).toBe(before);
    },
  );

  test("too many links are refused before any is followed", async () => {
    asked = 0;
    const urls = Array.from({ length: 17 }, (_, at) => `http://127.0.0.1:${pictures.port}/${at}`);

    expect((await ask(...urls)).status).toBe(400);
    expect(asked).toBe(0);
  });
});
