import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { openLinkedFiles, redirectOf, type FileRequest, type OpenedFile } from "./linked-files.ts";

const RULES = { allow: ["127.0.0.1"], maxBytes: 1_000, firstByteMs: 1_000, idleMs: 1_000 };

let asked: Request[] = [];
let server: ReturnType<typeof Bun.serve>;
beforeAll(() => {
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      asked.push(request);
      const { pathname } = new URL(request.url);
      if (pathname === "/inside")
        return Response.redirect(`http://inside.example:${server.port}/v`, 302);
      return new Response(pathname);
    },
  });
});
afterAll(() => server.stop(true));

function request(more: Partial<FileRequest> = {}): FileRequest {
  const { signal } = new AbortController();
  return { headers: {}, giver: undefined, maxRedirects: 3, signal, ...more };
}

async function open(
  link: string,
  addresses: readonly (readonly string[])[],
  more: Partial<FileRequest> = {},
): Promise<OpenedFile> {
  asked = [];
  const left = [...addresses];
  const rules = { ...RULES, ports: [Number(server.port)] };
  const resolve = async (): Promise<readonly string[]> => left.shift() ?? [];
  return await openLinkedFiles(() => rules, resolve).open(link, request(more));
}

async function codeOf(opening: Promise<OpenedFile>): Promise<string> {
  return await opening.then(
    () => "opened",
    (cause: unknown) => GatewayError.from(cause).code,
  );
}

describe("a link to a file", () => {
  test("is followed to the checked address, even if its name resolves differently later", async () => {
    const file = await open(`http://cdn.example:${server.port}/v`, [["127.0.0.1"], ["10.0.0.1"]]);

    expect(file.status).toBe(200);
    expect(Buffer.concat(await Array.fromAsync(file.body)).toString()).toBe("/v");
    file.close();
  });

  test.each([[["10.0.0.1"]], [["127.0.0.1", "169.254.169.254"]], [["::ffff:10.0.0.1"]], [[]]])(
    "with a name that resolves to %j is not followed, and no connection is opened",
    async (addresses) => {
      expect(await codeOf(open(`http://cdn.example:${server.port}/v`, [addresses]))).toBe(
        "upstream_failed",
      );
      expect(asked).toEqual([]);
    },
  );

  test("is checked again at each redirect", async () => {
    const url = `http://cdn.example:${server.port}/inside`;

    expect(await codeOf(open(url, [["127.0.0.1"], ["192.168.0.1"]]))).toBe("upstream_failed");
    expect(asked).toHaveLength(1);
  });

  test("to its own upstream may lead to a private address, but its redirects may not", async () => {
    const own = { url: new URL(`http://vendor.internal:${server.port}/base`) };
    const url = `http://vendor.internal:${server.port}`;

    expect(await codeOf(open(`${url}/v`, [["127.0.0.1"]], { giver: own }))).toBe("opened");
    expect(await codeOf(open(`${url}/v`, [["169.254.169.254"]], { giver: own }))).toBe(
      "upstream_failed",
    );
    expect(await codeOf(open(`${url}/inside`, [["127.0.0.1"], ["10.0.0.1"]], { giver: own }))).toBe(
      "upstream_failed",
    );
    const bounded = { ...own, reach: "public" as const };
    expect(await codeOf(open(`${url}/v`, [["127.0.0.1"]], { giver: bounded }))).toBe(
      "upstream_failed",
    );
  });

  test("is aborted together with its consumer", async () => {
    const leaving = new AbortController();
    leaving.abort();

    expect(
      await codeOf(open(`http://127.0.0.1:${server.port}/v`, [], { signal: leaving.signal })),
    ).toBe("canceled");
  });
});

describe("a redirect", () => {
  const from = "https://a.example/x/y";
  const to = (location: string, status = 302): string | undefined =>
    redirectOf({ status, headers: new Headers({ location }) }, from);

  test("is resolved relative to its own URL", () => {
    expect(to("z?q=1")).toBe("https://a.example/x/z?q=1");
    expect(to("//b.example/")).toBe("https://b.example/");
    expect(to("https://b.example/", 200)).toBeUndefined();
    expect(to("https://b.example/", 304)).toBeUndefined();
  });

  test("leads from https never to http, and never to an invalid URL", () => {
    expect(() => to("http://b.example/")).toThrow(GatewayError);
    expect(() => to("http://[")).toThrow(GatewayError);
  });
});
