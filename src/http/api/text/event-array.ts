import { readEvents } from "#lib/sse.ts";
import type { Sink } from "#lib/push-stream.ts";
import type { StreamedAnswer } from "#relay/call.ts";
import type { Outlet } from "./generate.ts";

/**
 * A stream of events as one JSON array, element by element: what the native
 * style answers where a caller does not ask for server-sent events. What is
 * written to an answer is whole events, so none has to be put together here.
 */
export const asEventArray: Outlet = {
  contentType: "application/json; charset=UTF-8",

  async stream(answer: StreamedAnswer, sink: Sink) {
    let before = "[";
    const isWhole = await answer.send({
      write(piece) {
        const text = typeof piece === "string" ? piece : new TextDecoder().decode(piece);
        let out = "";
        for (const { data } of readEvents(text)) {
          out += before + data;
          before = ",\r\n";
        }
        return out === "" ? undefined : sink.write(out);
      },
    });
    await sink.write(before === "[" ? "[]" : "]");
    return isWhole;
  },
};
