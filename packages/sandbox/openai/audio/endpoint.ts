import { noForm } from "../form-body.ts";
import { checkContentType, only } from "../routing.ts";
import type { VendorRequest } from "@sluice/sandbox/vendor.ts";
import type { Reply } from "@sluice/sandbox/wire/reply.ts";
import { readTranscription, readTranslation } from "./listen-request.ts";
import { listen } from "./listen.ts";
import { speak } from "./speak.ts";

type Headers = Readonly<Record<string, string>>;
type Answer = (call: VendorRequest, headers: Headers) => Reply;

/** Speech, transcriptions and translations; nothing for other paths. */
export function audioEndpoint(call: VendorRequest, headers: Headers): Reply | undefined {
  const answer = ANSWERS[call.path];
  return answer === undefined ? undefined : only("POST", call, () => answer(call, headers));
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  "/v1/audio/speech": (call, headers) => {
    checkContentType(call);
    return speak(call.body, headers, call.faults);
  },
  "/v1/audio/transcriptions": (call, headers) =>
    listen(readTranscription(formOf(call)), "transcribe", headers, call.faults),
  "/v1/audio/translations": (call, headers) =>
    listen(readTranslation(formOf(call)), "translate", headers, call.faults),
};

function formOf({ form, headers }: VendorRequest) {
  if (form !== undefined) return form;
  throw noForm(headers);
}
