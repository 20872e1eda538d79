import { expect } from "bun:test";
import { createServer } from "node:net";
import { SANDBOX_PAIR } from "@sluice/sandbox/key-pairs.ts";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { textOf } from "#lib/values.ts";
import { testInBrowser } from "#test/browser.ts";
import { waitFor } from "#test/wait.ts";
import { openAssetPlace, type AssetPlace } from "./asset-place.ts";

/** A gateway before the simulated vendor, at an address that a browser on this machine reaches. */
async function opened() {
  // As the gateway has it, until a person is made to hesitate.
  let lateMs = 0;
  const sandbox = await startSandbox({ now: () => Date.now() + lateMs });
  const port = await freePort();
  const place = await openAssetPlace({
    yaml: `
channels:
  - name: ark
    provider: ark
    base_url: "${sandbox.url}/ark/api/v3"
    api_key: "sk-of-the-operator|${SANDBOX_PAIR}"
    options: { assets_url: "${sandbox.url}/ark/" }
    models: [doubao-seedance-2-0-260128]
`,
    env: { SLUICE_PORT: String(port), SLUICE_PUBLIC_URL: `http://127.0.0.1:${port}` },
  });
  return {
    place,
    hesitate(ms: number): void {
      lateMs += ms;
    },
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      await sandbox.stop();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function begin({ act }: AssetPlace) {
  const { result } = await act("CreateVisualValidateSession", {
    CallbackURL: "https://hooks.example.com/verified",
  });
  const link = new URL(textOf(result["H5Link"]) ?? "");
  link.searchParams.set("lng", "en");
  const fetched = () => act("GetVisualValidateResult", { VendorToken: result["VendorToken"] });
  return { link: link.href, fetched };
}

testInBrowser("[B4.9-c] a person is verified, and can then have assets", async (page) => {
  await using simulator = await opened();
  const { link, fetched } = await begin(simulator.place);
  await page.goto(link);
  await page.getByRole("button", { name: "It is the person" }).click();
  await page.waitForURL(/\/callbacks\/verify\//);
  await waitFor(async () => (await fetched()).status === 200, 20_000);
  const [one, two] = [await fetched(), await fetched()];

  // Nothing on the page tells whose verification it was.
  expect(await page.content()).not.toContain("vt_");
  expect(one.result).toMatchObject({ GroupType: "identity", GroupId: expect.any(String) });
  expect(two.result).toEqual(one.result);
});

testInBrowser("[B4.9-d] a person with another identity is not verified", async (page) => {
  await using simulator = await opened();
  const { link, fetched } = await begin(simulator.place);
  await page.goto(link);
  await page.getByRole("button", { name: "It is not the person" }).click();
  await page.waitForURL(/\/callbacks\/verify\//);
  await waitFor(async () => (await fetched()).error.code !== "ValidateNotReady", 20_000);

  expect((await fetched()).status).not.toBe(200);
});

testInBrowser("[B4.9-c] a person who takes too long is not verified", async (page) => {
  await using simulator = await opened();
  const { link, fetched } = await begin(simulator.place);
  await page.goto(link);
  simulator.hesitate(121_000);
  await page.getByRole("button", { name: "It is the person" }).click();
  await page.getByText("The link has expired.").waitFor();

  expect((await fetched()).status).not.toBe(200);
});
