import type { OutboundImageFormat } from "#core/image.ts";
import { errorParser } from "#styles/upstream-error.ts";
import { VOCABULARY } from "#styles/vocabulary/ark.ts";
import { build } from "./build.ts";
import { ArkDecoder } from "./decoder.ts";
import { parse } from "./parse.ts";

/** Images of Ark's models: single or groups, complete or streamed. */
export const arkImages: OutboundImageFormat = {
  id: "ark-generations",
  outbound: {
    knowsLong: true,
    build,
    parse,
    parseError: errorParser(VOCABULARY),
    openDecoder: () => new ArkDecoder(),
  },
};
