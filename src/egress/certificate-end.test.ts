import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTlsUpstream } from "#test/egress/tls-upstream.ts";
import { checkCertificates } from "#jobs/check-certificates.ts";
import { certificateEnd } from "./certificate-end.ts";

const opened = new AsyncDisposableStack();
const ENDS = {
  good: Date.UTC(2120, 0, 1),
  "self-signed": Date.UTC(2120, 0, 1),
  expired: Date.UTC(2020, 1, 1),
} as const;
const urls = new Map<string, URL>();

beforeAll(async () => {
  for (const name of Object.keys(ENDS)) {
    const { port } = opened.use(await openTlsUpstream(name));
    urls.set(name, new URL(`https://127.0.0.1:${port}/v1`));
  }
  const plain = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("hi") });
  opened.defer(() => plain.stop(true));
  urls.set("plain", new URL(`https://127.0.0.1:${plain.port}/v1`));
});
afterAll(() => opened.disposeAsync());

function urlOf(name: string): URL {
  const url = urls.get(name);
  if (url === undefined) throw new Error(`There is no server '${name}'.`);
  return url;
}

test.each(Object.entries(ENDS))(
  "the end of a certificate that is %s is read",
  async (name, end) => {
    expect(await certificateEnd(urlOf(name), "private")).toBe(end);
  },
);

test("a certificate is found by the host's name, which the server is told", async () => {
  const names: string[] = [];
  await using upstream = await openTlsUpstream("good", {
    SNICallback(name, done) {
      names.push(name);
      done(null);
    },
  });

  const end = await certificateEnd(new URL(`https://localhost:${upstream.port}/`), "private");

  expect(end).toBe(ENDS.good);
  expect(names).toEqual(["localhost"]);
  expect(upstream.seen.text).toBe("");
});

test("a server without TLS, none at all, and one out of reach have no end", async () => {
  const gone = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  await gone.stop(true);
  const ends = await Promise.all([
    certificateEnd(urlOf("plain"), "private"),
    certificateEnd(new URL(`https://127.0.0.1:${gone.port}/`), "private"),
    certificateEnd(new URL("https://does-not-exist.invalid/"), "private"),
    certificateEnd(urlOf("good"), "public"),
  ]);

  expect(ends).toEqual([undefined, undefined, undefined, undefined]);
});

test("the job reads each host once, and leaves out those that do not answer", async () => {
  const found: unknown[] = [];
  const read: string[] = [];
  const good = urlOf("good");
  const job = checkCertificates({
    urls: () => [good, new URL("/v2", good), urlOf("expired"), urlOf("plain")],
    endOf(url) {
      read.push(url.host);
      return certificateEnd(url, "private");
    },
    onFound: (certificates) => void found.push(certificates),
  });
  const { signal } = new AbortController();

  await job.run(signal);
  expect(found).toEqual([]);
  await job.run(signal);

  expect(read).toEqual([good.host, urlOf("expired").host, urlOf("plain").host]);
  expect(found).toEqual([
    [
      { host: good.host, endsAt: ENDS.good },
      { host: urlOf("expired").host, endsAt: ENDS.expired },
    ],
  ]);
  expect(job.everyMs).toBe(6 * 3_600_000);
});
