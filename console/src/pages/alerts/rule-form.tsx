import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { ALERT_TEXTS } from "./texts.ts";

export type Rule = Schemas["AlertRule"];
type Kind = Rule["kind"];
type Term = keyof Rule["terms"];

/** The terms that each kind has. */
export const TERMS: Readonly<Record<Kind, readonly Term[]>> = {
  channel_refused: ["minutes"],
  channel_failing: ["percent", "minutes", "calls"],
  channel_slow: ["seconds", "minutes", "calls"],
  model_down: ["minutes"],
  error_rate: ["percent", "minutes", "calls"],
  budget: ["levels"],
  quota: ["levels"],
  unpriced_model: ["minutes"],
  simulated: [],
  job_failing: ["failures"],
  redis_down: [],
  database_down: [],
  certificate: ["days"],
  secret: [],
  login_guesses: ["failures"],
};
const KINDS = Object.keys(TERMS) as Kind[];

interface RuleFields {
  readonly name: string;
  readonly kind: Kind;
  readonly terms: Rule["terms"];
  readonly destinations: string[] | null;
  readonly remind_minutes: number | null;
}

/** A new rule, or the terms of an existing one; its kind stays. */
export function RuleForm({
  rule,
  busy,
  error,
  onSave,
  onClose,
}: {
  readonly rule?: Rule;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSave: (fields: RuleFields) => void;
  readonly onClose: () => void;
}) {
  const t = useTexts(ALERT_TEXTS);
  const [name, setName] = useState(rule?.name ?? "");
  const [kind, setKind] = useState<Kind>(rule?.kind ?? "error_rate");
  const [terms, setTerms] = useState<Partial<Record<Term, string>>>(() => textsOf(rule?.terms));
  const [to, setTo] = useState(rule?.destinations?.join("\n") ?? "");
  const [remind, setRemind] = useState(rule?.remind_minutes?.toString() ?? "");
  const save = (): void =>
    onSave({
      name: name.trim(),
      kind,
      terms: readTerms(TERMS[kind], terms),
      destinations: to.trim() === "" ? null : to.split("\n").map(trimmed).filter(Boolean),
      remind_minutes: remind === "" ? null : Number(remind),
    });
  return (
    <FormDialog
      title={rule === undefined ? t.addRule : t.editRule}
      action={t.save}
      busy={busy}
      error={error}
      onSave={save}
      onClose={onClose}
    >
      <TextField
        label={t.name}
        required
        autoFocus
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField
        label={t.kind}
        disabled={rule !== undefined}
        value={kind}
        choices={KINDS.map((value) => ({ value, label: t.kinds[value] }))}
        onChange={(event) => setKind(event.target.value as Kind)}
      />
      {TERMS[kind].map((term) => (
        <TextField
          key={term}
          label={t.termNames[term]}
          hint={t.termsHint}
          inputMode="numeric"
          pattern={term === "levels" ? "[0-9 ,]*" : "[0-9]*"}
          placeholder={[rule?.effective_terms[term] ?? ""].flat().join(", ")}
          value={terms[term] ?? ""}
          onChange={(event) => setTerms({ ...terms, [term]: event.target.value })}
        />
      ))}
      <TextField
        label={t.remind}
        hint={t.remindHint}
        type="number"
        min={1}
        value={remind}
        onChange={(event) => setRemind(event.target.value)}
      />
      <TextArea
        label={t.sendTo}
        hint={t.sendToHint}
        rows={2}
        value={to}
        onChange={(event) => setTo(event.target.value)}
      />
    </FormDialog>
  );
}

function textsOf(terms: Rule["terms"] = {}): Partial<Record<Term, string>> {
  return Object.fromEntries(
    Object.entries(terms).map(([name, value]) => [name, [value].flat().join(", ")]),
  );
}

function readTerms(names: readonly Term[], texts: Partial<Record<Term, string>>): Rule["terms"] {
  const given = names.flatMap((name) => {
    const text = texts[name]?.trim() ?? "";
    if (text === "") return [];
    return [[name, name === "levels" ? text.split(/[\s,]+/).map(Number) : Number(text)] as const];
  });
  return Object.fromEntries(given);
}

function trimmed(text: string): string {
  return text.trim();
}
