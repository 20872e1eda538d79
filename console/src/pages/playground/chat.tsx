import { useRef, useState } from "react";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextArea } from "../../ui/field.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { ChatOptionFields, NO_OPTIONS, type OptionForm } from "./chat-option-fields.tsx";
import { askSide, EMPTY, SideView, type Side } from "./chat-side.tsx";
import { STYLES, type ChatOptions, type Turn } from "./chat-styles.ts";
import { ModelField } from "./model-field.tsx";
import { Pictures } from "./pictures.tsx";
import { neededKey } from "./playground-key.tsx";
import { PLAYGROUND_TEXTS } from "./texts.ts";

/** A conversation with one model, or with two side by side. */
export function Chat() {
  const t = useTexts(PLAYGROUND_TEXTS);
  const [params, setParams] = useQueryState();
  const style = STYLES.find((each) => each === params.get("style")) ?? "chat";
  const models = [params.get("model") ?? "", params.get("second") ?? ""] as const;
  const [form, setForm] = useState(NO_OPTIONS);
  const change = (fields: Partial<OptionForm>): void =>
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
        await askSide(at, all, style, options, key, stopping.signal, update);
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
        <ChatOptionFields
          form={form}
          change={change}
          isWrong={{ tools: tools.isWrong, schema: schema.isWrong }}
        />
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
