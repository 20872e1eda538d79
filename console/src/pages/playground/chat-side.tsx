import { useTexts } from "../../app/language.ts";
import { count } from "../../ui/format.ts";
import {
  readEvent,
  writeRequest,
  type Answer,
  type ChatOptions,
  type Style,
  type Turn,
} from "./chat-styles.ts";
import { ExchangeView } from "./exchange-view.tsx";
import { askModel, eventsOf, type Facts } from "./model-client.ts";
import { PLAYGROUND_TEXTS } from "./texts.ts";

/** One model's part of the conversation. */
export interface Side {
  readonly turns: readonly Turn[];
  readonly answer: Answer | undefined;
  readonly request: unknown;
  readonly raw: readonly unknown[];
  readonly facts: Facts | undefined;
  readonly error: unknown;
}

export const EMPTY: Side = {
  turns: [],
  answer: undefined,
  request: undefined,
  raw: [],
  facts: undefined,
  error: undefined,
};
const MAX_RAW_EVENTS = 2_000;

export function SideView({ side, model }: { readonly side: Side; readonly model: string }) {
  const t = useTexts(PLAYGROUND_TEXTS);
  const { turns, answer, facts, error } = side;
  const isCounted = answer?.inputTokens !== undefined || answer?.outputTokens !== undefined;
  return (
    <ExchangeView
      title={model || t.result}
      request={side.request}
      raw={side.raw.length === 1 ? side.raw[0] : side.raw}
      facts={facts}
      error={error}
      notes={isCounted && t.tokens(count(answer?.inputTokens), count(answer?.outputTokens))}
    >
      {turns.map((turn, at) => (
        <div key={at} className={turn.role === "user" ? "bg-bg rounded-md px-3 py-2" : "px-3"}>
          <p className="break-words whitespace-pre-wrap">{turn.text}</p>
          {turn.images.map((url, number) => (
            <img
              key={number}
              src={url}
              alt={t.picture(number + 1)}
              className="mt-2 max-h-40 rounded-sm"
            />
          ))}
        </div>
      ))}
      {answer !== undefined && (
        <div aria-live="polite" className="flex flex-col gap-2 px-3">
          {answer.reasoning !== "" && (
            <details className="text-muted">
              <summary>{t.reasoning}</summary>
              <p className="mt-1 text-xs break-words whitespace-pre-wrap">{answer.reasoning}</p>
            </details>
          )}
          <p className="break-words whitespace-pre-wrap">{answer.text}</p>
          {answer.tools.map((tool, at) => (
            <div key={at}>
              <p className="font-medium">{t.toolCall(tool.name)}</p>
              <pre className="overflow-x-auto font-mono text-xs">{tool.input}</pre>
            </div>
          ))}
        </div>
      )}
    </ExchangeView>
  );
}

/** Asks one model, and tells of its answer as it comes. */
export async function askSide(
  at: 0 | 1,
  turns: readonly Turn[],
  style: Style,
  options: ChatOptions,
  key: string,
  signal: AbortSignal,
  update: (at: 0 | 1, fields: Partial<Side>) => void,
): Promise<void> {
  const written = writeRequest(style, turns, options);
  const answer: Answer = {
    text: "",
    reasoning: "",
    tools: [],
    inputTokens: undefined,
    outputTokens: undefined,
  };
  const raw: unknown[] = [];
  update(at, { ...EMPTY, turns, request: written.body });
  try {
    const { response, facts } = await askModel({ key, ...written, signal });
    update(at, { facts });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    for await (const event of isStream ? eventsOf(response) : wholeOf(response)) {
      readEvent(style, event, answer);
      if (raw.length < MAX_RAW_EVENTS) raw.push(event);
      update(at, { answer: { ...answer }, raw: [...raw] });
    }
  } catch (error) {
    if (!signal.aborted) update(at, { error });
  }
}

async function* wholeOf(response: Response): AsyncGenerator<unknown> {
  yield await response.json();
}
