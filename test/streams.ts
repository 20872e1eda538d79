import { readEvents } from "#lib/sse.ts";

/** What a caller of the chat style has seen of a stream when it is over. */
interface SeenStream {
  readonly text: string;
  readonly finishReason: string | undefined;
  readonly isDone: boolean;
  readonly error: unknown;
  readonly usage: unknown;
  readonly raw: string;
}

export async function readStream(answer: Response): Promise<SeenStream> {
  return summarize(await answer.text());
}

export function summarize(raw: string): SeenStream {
  const seen = {
    text: "",
    isDone: false,
    finishReason: undefined as string | undefined,
    error: undefined as unknown,
    usage: undefined as unknown,
  };
  for (const { data } of readEvents(raw)) {
    if (data === "[DONE]") {
      seen.isDone = true;
      continue;
    }
    const chunk = parse(data);
    seen.text += chunk.choices?.[0]?.delta?.content ?? "";
    seen.finishReason = chunk.choices?.[0]?.finish_reason ?? seen.finishReason;
    seen.usage = chunk.usage ?? seen.usage;
    seen.error ??= chunk.error;
  }
  return { ...seen, raw };
}

interface Chunk {
  choices?: { delta?: { content?: string | null }; finish_reason?: string | null }[];
  usage?: unknown;
  error?: unknown;
}

/** A passed-on stream may hold what is broken; the clients' own parsers decide what to make of it. */
function parse(data: string): Chunk {
  try {
    return JSON.parse(data) as Chunk;
  } catch {
    return {};
  }
}
