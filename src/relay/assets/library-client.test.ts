import { describe, expect, test } from "bun:test";
import { credential, type Channel } from "#core/channel.ts";
import { GatewayError, type FaultCode } from "#core/error.ts";
import { assetActions } from "#styles/asset/outbound.ts";
import { assetLibrary, libraryChannel, type LibraryAnswer } from "#test/asset-library.ts";
import { reasonOf } from "#test/storage/contract-place.ts";
import { accountFor, findAccount, firstAccount, request, requestOnce } from "./library-client.ts";

const FIRST = credential("key|AKLTfirst|secret-of-the-first");
const SECOND = credential("key|AKLTsecond|secret-of-the-second");
/** Three channels whose accounts have no library. */
const WITHOUT = [
  libraryChannel({ name: "a-other", provider: "openai" }),
  libraryChannel({ name: "a-unknown", options: {} }),
  libraryChannel({ name: "a-keyless", credentials: [credential("only-a-key-for-models")] }),
];
const channel = libraryChannel();
const draft = { name: "Cats", description: "" };

function account(of = channel) {
  const found = firstAccount({ egress: assetLibrary(() => ({})).egress, listChannels: () => [of] });
  if (found === undefined) throw new Error("This channel has no library.");
  return found;
}

function listing(...channels: readonly Channel[]) {
  return { egress: assetLibrary(() => ({})).egress, listChannels: () => channels };
}

describe("a new object", () => {
  test("goes to the channel with a library that comes first, by priority and then by name", () => {
    const [b, c, d] = ["b", "c", "d"].map((name) => libraryChannel({ name, priority: 1 }));
    if (b === undefined || c === undefined || d === undefined) throw new Error("Not made.");
    const z = libraryChannel({ name: "z", priority: 0 });
    const first = (...channels: readonly Channel[]) =>
      firstAccount(listing(...channels))?.channel.name;

    expect(first(d, b, c, ...WITHOUT)).toBe("b");
    expect(first(c, b)).toBe("b");
    expect(first(b, c)).toBe("b");
    expect(first(b, z)).toBe("z");
    expect(first(z, b)).toBe("z");
  });

  test("goes to the first credential with an access key", () => {
    const credentials = [credential("only-a-key-for-models"), SECOND, FIRST];

    expect(firstAccount(listing(libraryChannel({ credentials })))).toMatchObject({
      credential: SECOND,
      url: "https://assets.example/",
    });
  });

  test("is impossible if no channel has a library", () => {
    expect(firstAccount(listing(...WITHOUT))).toBeUndefined();
  });
});

describe("the account of an object", () => {
  const both = listing(...WITHOUT, libraryChannel({ name: "b", credentials: [FIRST, SECOND] }));
  const at = (name: string, label: string, deps = both) =>
    findAccount({ channel: name, account: label }, deps)?.credential;

  test("is the one that made it", () => {
    expect(at("b", FIRST.label)).toBe(FIRST);
    expect(at("b", SECOND.label)).toBe(SECOND);
  });

  test("is the channel's only one after its key was replaced", () => {
    expect(at("ark", "...gone", listing(libraryChannel()))).toBeDefined();
    expect(at("b", "...gone")).toBeUndefined();
  });

  test("does not exist without its channel or the library, and the error says so", async () => {
    for (const name of ["none", ...WITHOUT.map((each) => each.name)]) {
      expect(at(name, FIRST.label)).toBeUndefined();
    }
    const place = { channel: "none", account: FIRST.label };
    expect(await reasonOf((async () => accountFor(place, both))())).toMatchObject({
      code: "upstream_failed",
      message: "The channel of this asset, or its access key, no longer exists.",
    });
    expect(accountFor({ channel: "b", account: SECOND.label }, both).credential).toBe(SECOND);
  });
});

describe("a request to a library", () => {
  test("has the action, the account and the channel's project, and may be repeated", async () => {
    const library = assetLibrary(() => ({}));
    const { renameGroup } = assetActions;

    await request(account(), renameGroup, { upstreamId: "group-1", name: "Dogs" }, library);

    const [asked] = library.asked;
    expect(asked?.body).toEqual({ Id: "group-1", Name: "Dogs", ProjectName: "films" });
    expect(asked?.sent).toMatchObject({
      method: "POST",
      pool: expect.stringMatching(/\/assets$/),
      credential: channel.credentials[0],
      isStream: false,
      isOnce: false,
      headMs: 30_000,
    });
    expect(asked?.sent.url.href).toBe(
      "https://assets.example/?Action=UpdateAssetGroup&Version=2024-01-01",
    );
    expect(library.open()).toBe(0);
  });

  test("is never repeated if it makes an object", async () => {
    const library = assetLibrary(() => ({ result: { Id: "group-1" } }));

    expect(await request(account(), assetActions.createGroup, draft, library)).toBe("group-1");
    expect(library.asked[0]?.sent.isOnce).toBe(true);
  });

  test("names no project if the channel has none", async () => {
    const library = assetLibrary(() => ({}));
    const { options: _, ...more } = libraryChannel({
      baseUrl: "https://ark.cn-beijing.volces.com/api/v3",
    });

    await request(account(more), assetActions.remove, "asset-1", library);

    expect(library.asked[0]?.body).toEqual({ Id: "asset-1" });
  });

  test("fails with the vendor's error, which is read up to a limit", async () => {
    const library = assetLibrary(() => ({ status: 404, failure: "ResourceNotFound.Asset" }));

    expect(await reasonOf(request(account(), assetActions.remove, "a", library))).toMatchObject({
      code: "not_found",
    });
    expect(library.cuts).toEqual([1_048_576]);
    expect(library.open()).toBe(0);
  });

  test("waits if 16 are under way to its channel, and is refused if 256 wait", async () => {
    const answered = Promise.withResolvers<LibraryAnswer>();
    const library = assetLibrary(() => answered.promise);
    const own = account(libraryChannel());
    const remove = (to = own) => request(to, assetActions.remove, "a", library);

    const waiting = Array.from({ length: 16 + 256 }, () => remove());
    expect(await reasonOf(remove())).toMatchObject({
      code: "overloaded",
      message: "Too many requests for assets at once.",
      retryAfterMs: 1_000,
    });
    expect(library.asked).toHaveLength(16);
    const other = remove(account(libraryChannel({ name: "other" })));
    await Bun.sleep(0);
    expect(library.asked).toHaveLength(17);

    answered.resolve({});
    await Promise.all([...waiting, other]);
    expect(library.asked).toHaveLength(16 + 256 + 1);
  });
});

describe("the creation of an object", () => {
  const created = async (code: FaultCode) => {
    const cause = new GatewayError(code, "What the vendor says.");
    const library = assetLibrary(() => Promise.reject(cause));
    const reason = await reasonOf(requestOnce(account(), assetActions.createGroup, draft, library));
    return { reason, cause };
  };

  test("returns the vendor's id", async () => {
    const library = assetLibrary(() => ({ result: { Id: "group-1" } }));

    expect(await requestOnce(account(), assetActions.createGroup, draft, library)).toBe("group-1");
  });

  test.each<FaultCode>(["upstream_failed", "upstream_timeout"])(
    "may have succeeded in spite of the error %s, and the client gets a warning",
    async (code) => {
      const { reason, cause } = await created(code);

      expect(reason).toMatchObject({
        code,
        message: "The result at the upstream is unknown. Check it before you retry.",
        cause,
      });
    },
  );

  test("did not happen after another error, which is returned unchanged", async () => {
    const { reason, cause } = await created("upstream_rate_limited");

    expect(reason).toBe(cause);
  });
});
