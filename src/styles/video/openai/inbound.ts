import type { InboundVideoFormat } from "#core/video.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { namesIn } from "#styles/video/unified/names-in.ts";
import { namesInForm, readForm } from "#styles/video/unified/read-form.ts";
import { readQuestion } from "#styles/video/unified/read-question.ts";
import { ID } from "./build.ts";
import { writeVideo } from "./write-video.ts";

/** Videos as objects, in the format of OpenAI's clients. */
export const videoObjects: InboundVideoFormat = {
  id: ID,
  inbound: {
    names: { duration: "seconds" },
    namesIn,
    namesInForm,
    read: (body) => readQuestion(body, ID),
    readForm: (form) => readForm(form, ID),
    writeSubmitted: (task) => writeVideo(task),
    writeTask: writeVideo,
    buildError,
  },
};
