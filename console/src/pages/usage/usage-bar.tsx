import { X } from "lucide-react";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox, Input, Select } from "../../ui/field.tsx";
import { Filters } from "../../ui/filters.tsx";
import { PERIODS, type Choice } from "./filters.ts";
import { CATEGORIES, MEASURES, TIMES, type Measure, type Scope } from "./report.ts";
import { USAGE_TEXTS } from "./texts.ts";

interface UsageBarProps {
  readonly choice: Choice;
  readonly measure: Measure;
  readonly scope: Scope;
  readonly isOwner: boolean;
  readonly params: URLSearchParams;
  readonly set: (changes: Readonly<Record<string, string | undefined>>) => void;
}

/** Period, dimensions and filters, which are in the address of the page. */
export function UsageBar({ choice, measure, scope, isOwner, params, set }: UsageBarProps) {
  const t = useTexts(USAGE_TEXTS);
  const known = CATEGORIES[scope];
  return (
    <Filters>
      {isOwner && (
        <Select
          aria-label={t.scope}
          className="w-28"
          value={scope}
          onChange={({ target }) => set({ scope: target.value, by: undefined, per: undefined })}
          choices={(["team", "self"] as const).map((value) => ({ value, label: t.scopes[value] }))}
        />
      )}
      <PeriodFields choice={choice} params={params} set={set} />
      <Select
        aria-label={t.per}
        title={t.per}
        className="w-28"
        value={choice.first}
        onChange={({ target }) => set({ per: target.value })}
        choices={[...TIMES, ...known.filter((each) => each !== choice.second)].map((value) => ({
          value,
          label: t.dimensions[value],
        }))}
      />
      <Select
        aria-label={t.by}
        title={t.by}
        className="w-28"
        value={choice.second}
        onChange={({ target }) =>
          set({ by: target.value, ...(target.value === choice.first ? { per: undefined } : {}) })
        }
        choices={known.map((value) => ({ value, label: t.dimensions[value] }))}
      />
      <Select
        aria-label={t.measure}
        title={t.measure}
        className="w-32"
        value={measure}
        onChange={({ target }) => set({ measure: target.value })}
        choices={MEASURES.map((value) => ({ value, label: t.measures[value] }))}
      />
      <Checkbox
        label={t.compare}
        checked={choice.isCompared}
        onChange={({ target }) => set({ compare: target.checked ? "1" : undefined })}
      />
      {choice.filters.map(([category, value]) => (
        <Button
          key={category}
          icon={<X size={14} />}
          aria-label={t.removeFilter(`${t.dimensions[category]}: ${value}`)}
          onClick={() => set({ [category]: undefined })}
        >
          <span className="max-w-48 truncate">
            {t.dimensions[category]}: {value}
          </span>
        </Button>
      ))}
    </Filters>
  );
}

function PeriodFields({ choice, params, set }: Pick<UsageBarProps, "choice" | "params" | "set">) {
  const t = useTexts(USAGE_TEXTS);
  const { period, query } = choice;
  const change = (value: string): void => {
    if (value !== "custom") {
      set({ period: value, from: undefined, to: undefined });
      return;
    }
    const given = query["from"] ?? "";
    const from = /^\d+$/.test(given)
      ? new Date(Number(given) * 1_000).toISOString().slice(0, 10)
      : given;
    set({ period: undefined, from, to: query["to"] });
  };
  return (
    <>
      <Select
        aria-label={t.period}
        className="w-40"
        value={period}
        onChange={({ target }) => change(target.value)}
        choices={[...PERIODS, "custom" as const].map((value) => ({
          value,
          label: t.periods[value],
        }))}
      />
      {period === "custom" &&
        (["from", "to"] as const).map((name) => (
          <Input
            key={name}
            type="date"
            aria-label={t[name]}
            title={t[name]}
            className="w-36"
            value={params.get(name) ?? ""}
            onChange={({ target }) => {
              // Without a start there is no period of one's own.
              if (name === "to" || target.value !== "") set({ [name]: target.value });
            }}
          />
        ))}
    </>
  );
}
