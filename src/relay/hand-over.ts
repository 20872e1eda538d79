import type { Begun } from "./attempt.ts";
import type { Served, StreamedAnswer } from "./call.ts";
import type { Delivery } from "./deliver.ts";
import type { Endable } from "./open-calls.ts";
import type { Candidate } from "./route.ts";
import type { Settlement } from "./settlement.ts";

/** A stream that began, for its caller: the first byte leaves once the hold is on disk, the last one once the settlement is. */
export async function handOver(
  { callerSignal }: Endable<Served>,
  { answer, route, release }: Begun<Delivery, Candidate>,
  settlement: Settlement,
): Promise<StreamedAnswer> {
  const { stream } = answer;
  try {
    await settlement.durable;
  } catch (cause) {
    stream.close();
    release();
    throw cause;
  }
  settlement.answering(route, stream, stream);

  // A caller who leaves before the first byte never has the answer sent.
  let isSending = false;
  const onGone = (): void => {
    if (isSending) return;
    stream.close();
    release();
    void settlement.cancel();
  };
  if (callerSignal.aborted) onGone();
  else callerSignal.addEventListener("abort", onGone, { once: true });
  return {
    kind: "stream",
    lost: stream.lost,
    isTranslated: stream.isTranslated,
    send(sink) {
      isSending = true;
      callerSignal.removeEventListener("abort", onGone);
      return answer.send(sink, settlement, release);
    },
  };
}
