import type { GatewayError } from "#core/error.ts";
import type { InboundVideoFormat } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { buildError as buildPlainError } from "#styles/text/chat/error.ts";
import { memberOf } from "#lib/values.ts";
import { namesIn } from "./names-in.ts";
import { namesInForm, readForm } from "./read-form.ts";
import { readQuestion } from "./read-question.ts";
import { writeSubmitted, writeTask } from "./write-task.ts";

const ID = "video-unified";

/** Videos of any family, with common fields and few states. */
export const unifiedVideos: InboundVideoFormat = {
  id: ID,
  hasContents: true,
  inbound: {
    namesIn,
    namesInForm,
    read: (body) => readQuestion(body, ID),
    readForm: (form) => readForm(form, ID),
    writeSubmitted,
    writeTask,
    buildError,
  },
};

/** Codes are numbers here, for tasks and requests. */
function buildError(error: GatewayError): JsonObject {
  const { error: plain } = buildPlainError(error);
  return {
    error: {
      code: error.fault.status,
      message: error.message,
      type: memberOf(plain, "code"),
      param: error.param ?? null,
    },
  };
}
