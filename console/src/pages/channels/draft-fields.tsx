import { useTexts } from "../../app/language.ts";
import { SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { percent } from "../../ui/format.ts";
import { EMPTY_DRAFT, JSON_FIELDS, type Draft, type FieldName } from "./channel-draft.ts";
import { FORM_TEXTS } from "./form-texts.ts";

export interface Form {
  readonly draft: Draft;
  readonly invalid: readonly FieldName[];
  set(name: FieldName, value: string): void;
}

type GroupName = keyof typeof FORM_TEXTS.en.groups;

const GROUPS: Readonly<Record<GroupName, readonly FieldName[]>> = {
  vendor: ["name", "address", "models", "prefix", "style", "options", "tags", "notes"],
  routing: ["priority", "weight", "concurrent", "rpm", "tpm"],
  price: ["priceFactor", "lowBalance"],
  requests: ["systemPrompt", "headers", "query", "body"],
  network: ["firstByte", "total", "proxy"],
  disable: ["refused", "noBalance", "failingShare", "minAttempts", "window"],
};

const LONG: readonly FieldName[] = ["models", "notes", "systemPrompt", ...JSON_FIELDS];
const SWITCHES: readonly FieldName[] = ["refused", "noBalance"];
const NUMBERS: Partial<Record<FieldName, { readonly min: number; readonly step?: string }>> = {
  priority: { min: -1_000 },
  weight: { min: 0, step: "any" },
  concurrent: { min: 1 },
  rpm: { min: 1 },
  tpm: { min: 1 },
  priceFactor: { min: 0, step: "0.001" },
  lowBalance: { min: 0, step: "any" },
  failingShare: { min: 0, step: "any" },
  minAttempts: { min: 1 },
};

/** All fields but the vendor and its key, in groups that say how many of their fields are set. */
export function FieldGroups({ form, open }: { readonly form: Form; readonly open?: GroupName }) {
  const t = useTexts(FORM_TEXTS);
  return (Object.entries(GROUPS) as [GroupName, readonly FieldName[]][]).map(([group, names]) => {
    const set = names.filter((name) => form.draft[name] !== EMPTY_DRAFT[name]).length;
    const isInvalid = names.some((name) => form.invalid.includes(name));
    return (
      <details key={group} open={group === open || isInvalid || undefined}>
        <summary className="text-sm">
          <span className="text-accent">{t.groups[group]}</span>
          {set > 0 && <span className="text-muted ml-2 text-xs">{t.set(String(set))}</span>}
        </summary>
        <div className="mt-2 mb-1 grid grid-cols-1 gap-3 sm:grid-cols-2">
          {names.map((name) => (
            <div key={name} className={LONG.includes(name) ? "sm:col-span-2" : undefined}>
              <DraftField name={name} form={form} />
            </div>
          ))}
        </div>
      </details>
    );
  });
}

function DraftField({ name, form }: { readonly name: FieldName; readonly form: Form }) {
  const t = useTexts(FORM_TEXTS);
  const { draft, invalid, set } = form;
  const hints: Partial<Record<FieldName, string>> = t.hints;
  const field = {
    label: t.fields[name],
    hint: name === "priceFactor" ? priceHint(draft, t) : hints[name],
    error: invalid.includes(name) ? t.invalidJson : undefined,
    value: draft[name],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      set(name, event.target.value),
  };
  if (SWITCHES.includes(name))
    return (
      <SelectField
        {...field}
        choices={[
          { value: "", label: t.bySetting },
          { value: "on", label: t.on },
          { value: "off", label: t.off },
        ]}
      />
    );
  const isJson = JSON_FIELDS.includes(name);
  if (LONG.includes(name))
    return (
      <TextArea
        {...field}
        rows={name === "notes" ? 2 : 3}
        spellCheck={!isJson && name !== "models"}
        className={isJson || name === "models" ? "font-mono text-xs" : ""}
      />
    );
  const number = NUMBERS[name];
  return (
    <TextField
      {...field}
      {...(number === undefined ? {} : { type: "number", step: 1, ...number })}
      placeholder={name === "name" ? draft.vendor : undefined}
    />
  );
}

function priceHint({ priceFactor }: Draft, t: ReturnType<typeof useTexts<typeof FORM_TEXTS.en>>) {
  const factor = Number(priceFactor);
  if (priceFactor.trim() === "" || !Number.isFinite(factor) || factor === 1)
    return t.hints.priceFactor;
  return factor < 1 ? t.discount(percent(1 - factor)) : t.surcharge(percent(factor - 1));
}
