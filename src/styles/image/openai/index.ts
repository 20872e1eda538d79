import { invalid } from "#core/error.ts";
import type { InboundImageFormat, OutboundImageFormat } from "#core/image.ts";
import { readQuestion } from "#styles/image/gateway/read-question.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { parseError } from "#styles/upstream-error.ts";
import { write } from "./inbound.ts";
import { build } from "./outbound.ts";
import { parse } from "./parse.ts";
import { readEdit, readEditForm, readVariationForm } from "./read-edit.ts";
import { openDecoder } from "./stream-in.ts";
import { openEncoder } from "./stream-out.ts";

/** Upstream requests and responses are the same for all three. */
export const images: OutboundImageFormat = {
  id: "images",
  outbound: { knowsLong: true, build, parse, openDecoder, parseError },
};

/** Text to image, in the format of OpenAI's clients. */
export const generations: InboundImageFormat = {
  id: "image-generations",
  inbound: { knowsLong: true, read: readQuestion, write, openEncoder, buildError },
};

export const edits: InboundImageFormat = {
  id: "image-edits",
  inbound: {
    knowsLong: true,
    read: readEdit,
    readForm: readEditForm,
    write,
    openEncoder,
    buildError,
  },
};

export const variations: InboundImageFormat = {
  id: "image-variations",
  inbound: {
    read() {
      throw invalid("image", "Send a variation as a multipart form with the field 'image'.");
    },
    readForm: readVariationForm,
    write,
    openEncoder,
    buildError,
  },
};
