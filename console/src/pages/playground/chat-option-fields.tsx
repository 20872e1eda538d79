import { useTexts } from "../../app/language.ts";
import { Checkbox, SelectField, TextArea, TextField } from "../../ui/field.tsx";
import type { ChatOptions } from "./chat-styles.ts";
import { PLAYGROUND_TEXTS } from "./texts.ts";

const EFFORTS = ["none", "low", "medium", "high"] as const;

/** Options as they are typed. */
export interface OptionForm {
  readonly system: string;
  readonly stream: boolean;
  readonly effort: ChatOptions["effort"];
  readonly maxTokens: string;
  readonly temperature: string;
  readonly tools: string;
  readonly schema: string;
  readonly search: boolean;
}

export const NO_OPTIONS: OptionForm = {
  system: "",
  stream: true,
  effort: "none",
  maxTokens: "",
  temperature: "",
  tools: "",
  schema: "",
  search: false,
};

export function ChatOptionFields({
  form,
  change,
  isWrong,
}: {
  readonly form: OptionForm;
  readonly change: (fields: Partial<OptionForm>) => void;
  /** Which of the fields with JSON have none. */
  readonly isWrong: { readonly tools: boolean; readonly schema: boolean };
}) {
  const t = useTexts(PLAYGROUND_TEXTS);
  return (
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
          error={isWrong.tools ? t.invalidJson : undefined}
          value={form.tools}
          onChange={(event) => change({ tools: event.target.value })}
        />
        <TextArea
          label={t.schema}
          className="font-mono text-xs"
          error={isWrong.schema ? t.invalidJson : undefined}
          value={form.schema}
          onChange={(event) => change({ schema: event.target.value })}
        />
      </div>
    </details>
  );
}
