import { invalid } from "#core/error.ts";
import type { InboundImageFormat } from "#core/image.ts";
import { readQuestion } from "#styles/image/gateway/read-question.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { write } from "./inbound.ts";
import { readEdit, readEditForm, readVariationForm } from "./read-edit.ts";
import { openEncoder } from "./stream-out.ts";

/** Pictures out of words, as clients of the format that goes with chat completions want them. */
export const generations: InboundImageFormat = {
  id: "image-generations",
  inbound: { read: readQuestion, write, openEncoder, buildError },
};

export const edits: InboundImageFormat = {
  id: "image-edits",
  inbound: { read: readEdit, readForm: readEditForm, write, openEncoder, buildError },
};

export const variations: InboundImageFormat = {
  id: "image-variations",
  inbound: {
    read() {
      throw invalid("image", "A variation is asked for by a form with the picture in it.");
    },
    readForm: readVariationForm,
    write,
    openEncoder,
    buildError,
  },
};
