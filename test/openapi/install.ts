import { cacheFolder, install } from "#test/languages/toolchains.ts";
import { GENERATOR } from "./generator.ts";

process.stdout.write("Installing openapi-typescript into the cache of clients...\n");
await install(GENERATOR, cacheFolder(process.env));
