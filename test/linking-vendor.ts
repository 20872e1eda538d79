import { openVendor, type Respond, type Vendor } from "#test/adapter/vendor.ts";
import { openBooks, type Books } from "#test/books.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

/** Two by two pixels. */
export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGP4z8DAAMQMEAoAHwQC/tuFLYcAAAAASUVORK5CYII=",
  "base64",
);
export const GIF = Buffer.from("R0lGODlhAQABAIAAAP8AAP8AACwAAAAAAQABAAACAkQBADs=", "base64");
export const BASE64 = PNG.toString("base64");
export const DATA_URI = `data:image/png;base64,${BASE64}`;

/** A gateway, a vendor that hands over links, and another server that links may lead to. */
export interface Place extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly vendor: Vendor;
  readonly books: Books;
  /** Links to a picture, to one elsewhere, and to one where the gateway may not go. */
  readonly links: { readonly own: string; readonly other: string; readonly closed: string };
  /** What the vendor says until it is told otherwise. */
  respond: Respond;
}

const MADE = "/made.png";

/** A million tokens in are a dollar, and out 30. */
export async function openPlace(
  provider: string,
  path: string,
  models: readonly string[],
): Promise<Place> {
  const picture = (): Response => new Response(PNG, { headers: { "content-type": "image/png" } });
  const vendor = openVendor((seen) => (seen.path === MADE ? picture() : place.respond(seen)));
  const elsewhere = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: picture });
  const prices = models.map((model) => `"${model}": { input: 1, output: 30 }`);
  const gateway = await openTestGateway({
    yaml: `
channels:
  - { name: one, provider: ${provider}, base_url: "${vendor.url}${path}", api_key: upstream-secret, models: [${models.join(", ")}] }
models: { ${prices.join(", ")} }`,
    env: {
      SLUICE_LINKS_ALLOW: "127.0.0.1",
      SLUICE_LINKS_PORTS: `80,443,${elsewhere.port}`,
      SLUICE_LIMIT_ATTEMPTS: "1",
    },
  });
  const books = openBooks(gateway.dataDir);
  const place: Place = {
    gateway,
    vendor,
    books,
    links: {
      own: `${vendor.url}${MADE}`,
      other: `http://127.0.0.1:${elsewhere.port}/other.png`,
      closed: `http://127.0.0.2:${elsewhere.port}/closed.png`,
    },
    respond: () => Response.json({}),
    async [Symbol.asyncDispose]() {
      books.close();
      await gateway[Symbol.asyncDispose]();
      await elsewhere.stop(true);
      await vendor[Symbol.asyncDispose]();
    },
  };
  return place;
}
