import { readEvents } from "#lib/sse.ts";
import type { Sink } from "#lib/push-stream.ts";
import type { StreamedAnswer } from "#relay/call.ts";
import type { Outlet } from "./generate.ts";

/**
 * Writes a stream of events as one JSON array, element by element: the native style's format if a
 * client does not ask for server-sent events. Each write to the sink contains whole events, so no
 * reassembly is needed.
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
