import { describe, expect, test } from "bun:test";
import type { Asset } from "#core/asset.ts";
import { credential } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { VideoMedia, VideoRequest } from "#core/video.ts";
import { aChannel } from "#test/a-channel.ts";
import { resolveAssets, type Home, type ReferenceDeps } from "./references.ts";

const ONE = credential("key|AKLTfirst|secret-of-the-first");
const TWO = credential("key|AKLTsecond|secret-of-the-second");
const OPTIONS = { assets_url: "https://assets.example/" };
const CHANNELS = [
  aChannel({ name: "a", provider: "ark", credentials: [ONE, TWO], options: OPTIONS }),
  aChannel({ name: "b", provider: "ark", credentials: [ONE], options: OPTIONS }),
];
const LATER = Number.MAX_SAFE_INTEGER;

const stored = (channel: string, { label: account } = ONE): Partial<Asset> => ({
  place: { channel, account, upstreamId: `up-${channel}` },
});

/** The assets of user 1, by id. */
async function resolved(
  assets: Readonly<Record<string, Partial<Asset>>>,
  media: readonly VideoMedia[],
  { home, extra }: { readonly home?: Home; readonly extra?: VideoRequest["extra"] } = {},
) {
  const looked: string[] = [];
  const deps = {
    clock: { now: () => 0 },
    listChannels: () => CHANNELS,
    assets: {
      async find(userId: number, id: string) {
        looked.push(id);
        const found = assets[id];
        if (found === undefined || userId !== 1) return undefined;
        const link = { url: "", endsAt: LATER };
        return { id, userId, type: "image", status: "active", link, ...found } as Asset;
      },
    },
    originOf: async ({ id }: Asset) => ({ kind: "url", url: `https://stored.test/${id}` }),
  } as unknown as ReferenceDeps;
  const question = { model: "m", scenario: "text", media, ...(extra && { extra }) } as VideoRequest;
  const told = await resolveAssets(question, 1, home, deps).catch(GatewayError.from);
  return { told, question, looked };
}

const asset = (id: string, type: VideoMedia["type"] = "image"): VideoMedia => ({
  type,
  role: "reference",
  source: { kind: "asset", id },
});
const link = (url: string): VideoMedia => ({ ...asset(""), source: { kind: "url", url } });
const refusal = (message: string): unknown =>
  expect.objectContaining({
    code: "invalid_request",
    message: expect.stringContaining(message),
  });

describe("an asset in a request", () => {
  test("at a vendor is sent by the vendor's id, to the account that has it", async () => {
    const { told, looked } = await resolved({ x: stored("a", TWO) }, [
      link("https://a.test/"),
      asset("x"),
      asset("x"),
    ]);

    expect(told).toMatchObject({ home: { channel: "a", account: TWO.label } });
    const { question } = told as Exclude<typeof told, GatewayError>;
    expect(question.media.map(({ source }) => source)).toEqual([
      { kind: "url", url: "https://a.test/" },
      { kind: "asset", id: "up-a" },
      { kind: "asset", id: "up-a" },
    ]);
    expect(looked).toEqual(["x"]);
  });

  test("that the gateway stores is sent to any account", async () => {
    const { told } = await resolved({ x: {} }, [asset("x")]);

    expect(told).not.toHaveProperty("home");
    expect(told).toMatchObject({
      question: { media: [{ source: { kind: "url", url: "https://stored.test/x" } }] },
    });
  });

  test("may be written as a link or a stored file, in upper or lower case", async () => {
    const named: readonly VideoMedia[] = [
      link(" Asset://x"),
      { ...asset(""), source: { kind: "reference", id: "asset://x" } },
    ];
    const { told } = await resolved({ x: stored("b") }, named);

    expect(told).toMatchObject({
      question: { media: [{ source: { id: "up-b" } }, { source: { id: "up-b" } }] },
    });
  });

  test("is not needed by other media, whose request is unchanged", async () => {
    const home = { channel: "a", account: "" };
    const media: readonly VideoMedia[] = [
      link("https://a.test/asset://x"),
      { ...asset(""), source: { kind: "reference", id: "file-1" } },
      { ...asset(""), source: { kind: "base64", base64: "YQ==", mediaType: "image/png" } },
    ];
    const { told, question, looked } = await resolved({}, media, { home });

    expect(told).toEqual({ question, home });
    expect((told as Exclude<typeof told, GatewayError>).question).toBe(question);
    expect((await resolved({}, media)).told).not.toHaveProperty("home");
    expect(looked).toEqual([]);
  });

  test.each<[string, Readonly<Record<string, Partial<Asset>>>, VideoMedia, string]>([
    ["does not exist for this user", {}, asset("x"), "asset x is not available"],
    [
      "is not processed yet",
      { x: { status: "pending", dueAt: LATER, looks: 0 } },
      asset("x"),
      "asset x is not active",
    ],
    [
      "is of another kind",
      { x: {} },
      asset("x", "video"),
      "asset x is not available as video: it is image",
    ],
    ["is on a channel that is gone", { x: stored("gone") }, asset("x"), "asset x is not available"],
    [
      "is in an account that is gone",
      { x: stored("a", credential("another")) },
      asset("x"),
      "asset x is not available",
    ],
  ])("that %s is refused", async (_, assets, medium, message) => {
    expect((await resolved(assets, [medium])).told).toEqual(refusal(message) as never);
  });

  test("with a long name is refused with the beginning of the name", async () => {
    const { told } = await resolved({}, [asset("x".repeat(129))]);
    const exact = await resolved({}, [asset("x".repeat(128))]);

    expect(told).toEqual(refusal(`${"x".repeat(128)}... is not`) as never);
    expect(exact.told).toEqual(refusal(`${"x".repeat(128)} is not`) as never);
  });
});

describe("the account of a request's assets", () => {
  const both = [asset("x"), asset("y")];
  const SAME = "must use the same channel";

  test("is single: assets of two accounts or channels are refused", async () => {
    const accounts = await resolved({ x: stored("a"), y: stored("a", TWO) }, both);
    const channels = await resolved({ x: stored("a"), y: stored("b") }, both);
    const one = await resolved({ x: stored("a"), y: stored("a") }, both);

    for (const { told } of [accounts, channels]) expect(told).toEqual(refusal(SAME) as never);
    expect(one.told).toMatchObject({ home: { channel: "a", account: ONE.label } });
  });

  test("does not conflict with files that the gateway stores", async () => {
    const { told } = await resolved({ x: {}, y: stored("a") }, both);

    expect(told).toMatchObject({ home: { channel: "a", account: ONE.label } });
  });

  test("equals that of the request's other inputs, or is one of their channel", async () => {
    const assets = { x: stored("a") };
    const on = async (channel: string, account: string) =>
      (await resolved(assets, [asset("x")], { home: { channel, account } })).told;

    expect(await on("a", ONE.label)).toMatchObject({ home: { account: ONE.label } });
    expect(await on("a", "")).toMatchObject({ home: { channel: "a", account: ONE.label } });
    for (const told of [await on("a", TWO.label), await on("b", "")]) {
      expect(told).toEqual(refusal(SAME) as never);
    }
  });
});

test("assets are refused in fields that are not media, at any depth", async () => {
  const deep = (depth: number): unknown =>
    depth === 0 ? ["asset://x"] : { a: 1, b: deep(depth - 1) };
  const told = async (extra: unknown) =>
    (await resolved({}, [], { extra: { chat: extra } as never })).told;

  for (const extra of [
    { a: "ASSET://x" },
    { a: ["b", " asset://x"] },
    deep(20),
    deep(500),
    deep(2_000),
  ]) {
    expect(await told(extra)).toEqual(refusal("only in media fields") as never);
  }
  for (const extra of [{ a: "x asset://x" }, { a: [1, null, true] }]) {
    expect(await told(extra)).not.toBeInstanceOf(GatewayError);
  }
});

test("a request that is nested too deeply counts as one with a reference", async () => {
  const nested = (depth: number, around: (inner: unknown) => unknown): unknown =>
    depth === 0 ? 1 : around(nested(depth - 1, around));
  const told = async (depth: number, around: (inner: unknown) => unknown) =>
    (await resolved({}, [], { extra: nested(depth, around) as never })).told;

  for (const around of [(inner: unknown) => [inner], (inner: unknown) => ({ a: inner })]) {
    expect(await told(512, around)).not.toBeInstanceOf(GatewayError);
    expect(await told(513, around)).toEqual(refusal("only in media fields") as never);
  }
});
