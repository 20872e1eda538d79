import { useRef, useState } from "react";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox, SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { count } from "../../ui/format.ts";
import { useQueryState } from "../../ui/query-state.ts";
import {
  readEvent,
  STYLES,
  writeRequest,
  type Answer,
  type ChatOptions,
  type Style,
  type Turn,
} from "./chat-styles.ts";
import { ExchangeView } from "./exchange-view.tsx";
import { askModel, eventsOf, type Facts } from "./model-client.ts";
import { ModelField } from "./model-field.tsx";
import { Pictures } from "./pictures.tsx";
import { neededKey } from "./playground-key.tsx";
import { PLAYGROUND_TEXTS } from "./texts.ts";

/** One model's part of the conversation. */
interface Side {
  readonly turns: readonly Turn[];
  readonly answer: Answer | undefined;
  readonly request: unknown;
  readonly raw: readonly unknown[];
  readonly facts: Facts | undefined;
  readonly error: unknown;
}

const EMPTY: Side = {
  turns: [],
  answer: undefined,
  request: undefined,
  raw: [],
  facts: undefined,
  error: undefined,
};
const EFFORTS = ["none", "low", "medium", "high"] as const;
const MAX_RAW_EVENTS = 2_000;

export function Chat() {
  const t = useTexts(PLAYGROUND_TEXTS);
  const [params, setParams] = useQueryState();
  const style = STYLES.find((each) => each === params.get("style")) ?? "chat";
  const models = [params.get("model") ?? "", params.get("second") ?? ""] as const;
  const [form, setForm] = useState({
    system: "",
    stream: true,
    effort: "none" as ChatOptions["effort"],
    maxTokens: "",
    temperature: "",
    tools: "",
    schema: "",
    search: false,
  });
  const change = (fields: Partial<typeof form>): void =>
    setForm((before) => ({ ...before, ...fields }));
  const [text, setText] = useState("");
  const [images, setImages] = useState<readonly string[]>([]);
  const [sides, setSides] = useState<readonly [Side, Side]>([EMPTY, EMPTY]);
  const running = useRef<AbortController>(undefined);
  const [isRunning, setRunning] = useState(false);
  const tools = jsonOf(form.tools);
  const schema = jsonOf(form.schema);

  const update = (at: 0 | 1, fields: Partial<Side>): void =>
    setSides(([first, second]) =>
      at === 0 ? [{ ...first, ...fields }, second] : [first, { ...second, ...fields }],
    );

  const send = async (): Promise<void> => {
    setRunning(true);
    const key = await neededKey().catch((error: unknown) => {
      update(0, { error });
      setRunning(false);
    });
    if (key === undefined) return;
    const stopping = new AbortController();
    running.current = stopping;
    const asked: Turn = { role: "user", text, images };
    setText("");
    setImages([]);
    await Promise.all(
      ([0, 1] as const).map(async (at) => {
        const model = models[at];
        if (model === "") return;
        const { turns, answer } = sides[at];
        const before: readonly Turn[] =
          answer === undefined
            ? turns
            : [...turns, { role: "assistant", text: answer.text, images: [] }];
        const all = [...before, asked];
        const options: ChatOptions = {
          model,
          system: form.system,
          stream: form.stream,
          effort: form.effort,
          maxTokens: numberOf(form.maxTokens),
          temperature: numberOf(form.temperature),
          tools: Array.isArray(tools.value) ? (tools.value as ChatOptions["tools"]) : [],
          schema: schema.value,
          search: form.search,
        };
        await ask(at, all, style, options, key, stopping.signal, update);
      }),
    );
    setRunning(false);
  };

  return (
    <div className="flex flex-col gap-3 lg:flex-row">
      <form
        className="flex shrink-0 flex-col gap-3 lg:w-80"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <SelectField
          label={t.style}
          value={style}
          choices={STYLES.map((value) => ({ value, label: t.styles[value] }))}
          onChange={(event) => setParams({ style: event.target.value })}
        />
        <ModelField
          label={t.model}
          required
          value={models[0]}
          makes="text"
          onChange={(model) => setParams({ model })}
        />
        <ModelField
          label={t.second}
          value={models[1]}
          makes="text"
          onChange={(second) => setParams({ second })}
        />
        <TextArea
          label={t.message}
          required={images.length === 0}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
              event.currentTarget.form?.requestSubmit();
          }}
        />
        <Pictures images={images} onChange={setImages} />
        <div className="flex gap-2">
          <Button type="submit" look="main" busy={isRunning} title={t.sendKey}>
            {t.send}
          </Button>
          {isRunning && <Button onClick={() => running.current?.abort()}>{t.stop}</Button>}
          <Button look="quiet" onClick={() => setSides([EMPTY, EMPTY])}>
            {t.clear}
          </Button>
        </div>
        <details className="border-line rounded-md border">
          <summary className="px-3 py-1.5 text-sm font-medium">{t.options}</summary>
          <div className="flex flex-col gap-3 p-3 pt-1">
            <TextArea
              label={t.system}
              rows={2}
              value={form.system}
              onChange={(event) => change({ system: event.target.value })}
            />
            <Checkbox
              label={t.stream}
              checked={form.stream}
              onChange={(event) => change({ stream: event.target.checked })}
            />
            <Checkbox
              label={t.search}
              checked={form.search}
              onChange={(event) => change({ search: event.target.checked })}
            />
            <SelectField
              label={t.effort}
              value={form.effort}
              choices={EFFORTS.map((value) => ({ value, label: t.efforts[value] }))}
              onChange={(event) => change({ effort: event.target.value as ChatOptions["effort"] })}
            />
            <TextField
              label={t.maxTokens}
              type="number"
              min={1}
              value={form.maxTokens}
              onChange={(event) => change({ maxTokens: event.target.value })}
            />
            <TextField
              label={t.temperature}
              type="number"
              min={0}
              max={2}
              step={0.1}
              value={form.temperature}
              onChange={(event) => change({ temperature: event.target.value })}
            />
            <TextArea
              label={t.tools}
              className="font-mono text-xs"
              error={tools.isWrong ? t.invalidJson : undefined}
              value={form.tools}
              onChange={(event) => change({ tools: event.target.value })}
            />
            <TextArea
              label={t.schema}
              className="font-mono text-xs"
              error={schema.isWrong ? t.invalidJson : undefined}
              value={form.schema}
              onChange={(event) => change({ schema: event.target.value })}
            />
          </div>
        </details>
      </form>
      <div className="flex min-w-0 flex-1 flex-col gap-3 xl:flex-row">
        {sides.map((side, at) =>
          models[at] === "" && at === 1 ? null : (
            <SideView key={at} side={side} model={models[at] ?? ""} />
          ),
        )}
      </div>
    </div>
  );
}

function SideView({ side, model }: { readonly side: Side; readonly model: string }) {
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

async function ask(
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

function jsonOf(text: string): { readonly value: unknown; readonly isWrong: boolean } {
  if (text.trim() === "") return { value: undefined, isWrong: false };
  try {
    return { value: JSON.parse(text), isWrong: false };
  } catch {
    return { value: undefined, isWrong: true };
  }
}

function numberOf(text: string): number | undefined {
  return text === "" ? undefined : Number(text);
}
