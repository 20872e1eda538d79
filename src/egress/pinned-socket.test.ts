import { expect, test } from "bun:test";
import { openSite } from "#test/egress/site.ts";
import { openPinnedSocket } from "./pinned-socket.ts";

test("if the connection reaches a forbidden address, nothing is sent", async () => {
  await using site = await openSite(() => {});
  const reached: string[] = [];
  const isAllowed = (address: string) => {
    reached.push(address);
    return false;
  };

  for (const scheme of ["http", "https"]) {
    const url = new URL(`${scheme}://public.example:${site.port}/`);
    const { signal } = new AbortController();
    const opening = openPinnedSocket(url, ["127.0.0.1"], { isAllowed, ca: undefined, signal });
    const outcome: unknown = await opening.catch((error: unknown) => error);
    expect(outcome).toMatchObject({
      code: "invalid_request",
      message: "This URL may not be fetched.",
    });
  }

  await site.allClosed();
  expect(reached).toEqual(["127.0.0.1", "127.0.0.1"]);
  expect(site.requests).toEqual([]);
});

test("if one address refuses, the next one is tried", async () => {
  await using site = await openSite(() => {});
  const url = new URL(`http://public.example:${site.port}/`);
  const { signal } = new AbortController();

  const socket = await openPinnedSocket(url, ["127.0.0.9", "127.0.0.1"], {
    isAllowed: (address) => address === "127.0.0.1",
    ca: undefined,
    signal,
  });

  expect(socket.remoteAddress).toBe("127.0.0.1");
  socket.destroy();
});

test("a fetch that has ended opens no connection", async () => {
  await using site = await openSite(() => {});
  const url = new URL(`http://public.example:${site.port}/`);
  const signal = AbortSignal.abort(new Error("left"));
  const isAllowed = () => true;

  const opening = openPinnedSocket(url, ["127.0.0.1"], { isAllowed, ca: undefined, signal });
  const outcome: unknown = await opening.catch((error: unknown) => error);

  expect(outcome).toMatchObject({ message: "left" });
  expect(site.connections).toBe(0);
});
