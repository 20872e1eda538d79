import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { writeAbout } from "./about.ts";
import { buildOpenApi } from "../src/http/openapi.ts";
import { ROUTES } from "../src/http/registry.ts";

/**
 * Writes the types of the management API, from the document that the gateway
 * serves at /openapi.json. They are made before each type check, so that a page
 * that disagrees with the API does not compile. So are the facts of the page About.
 */
const folder = join(import.meta.dir, "generated");
const document = buildOpenApi(ROUTES, "0") as unknown as OpenAPI3;
const paths = Object.entries(document.paths ?? {}).filter(
  ([path]) => path.startsWith("/api/") && !path.startsWith("/api/v"),
);
const types = await openapiTS({ ...document, paths: Object.fromEntries(paths) });
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "api.d.ts"), astToString(types));
writeAbout();
