import { ListFilter, X } from "lucide-react";
import { useState } from "react";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { FilterInput } from "../../ui/filter-input.tsx";
import { Filters } from "../../ui/filters.tsx";
import { AUDITORS_FILTERS, OWN_FILTERS, PERIODS, periodIn } from "./filters.ts";
import { LOG_TEXTS } from "./texts.ts";

const OUTCOMES = ["completed", "failed", "canceled", "interrupted"] as const;
/** Filters that always show; the others open with a button, or if they are set. */
const FIRST = ["model", "channel"] as const;

interface FilterBarProps {
  readonly params: URLSearchParams;
  readonly set: (changes: Readonly<Record<string, string | undefined>>) => void;
  readonly isAuditor: boolean;
}

/** Filters, which are in the address of the page. */
export function FilterBar({ params, set, isAuditor }: FilterBarProps) {
  const t = useTexts(LOG_TEXTS);
  const names: readonly string[] = isAuditor ? AUDITORS_FILTERS : OWN_FILTERS;
  const labels: Readonly<Record<string, string>> = {
    ...t.filters,
    min_cost_usd: t.filters.cost,
    min_duration_ms: t.filters.duration,
  };
  const others = names.filter(
    (name) => name !== "outcome" && !(FIRST as readonly string[]).includes(name),
  );
  const [isOpen, setOpen] = useState(() => others.some((name) => params.has(name)));
  const isSet = params.has("period") || names.some((name) => params.has(name));
  const input = (name: string) => (
    <FilterInput
      key={name}
      label={labels[name] ?? name}
      value={params.get(name) ?? ""}
      onDone={(value) => set({ [name]: value })}
    />
  );
  return (
    <Filters>
      <Select
        aria-label={t.filters.period}
        className="w-36"
        value={periodIn(params)}
        onChange={(event) => set({ period: event.target.value })}
        choices={[
          { value: "", label: t.periods.all },
          ...(Object.keys(PERIODS) as (keyof typeof PERIODS)[]).map((value) => ({
            value,
            label: t.periods[value],
          })),
        ]}
      />
      <Select
        aria-label={t.filters.outcome}
        className="w-36"
        value={params.get("outcome") ?? ""}
        onChange={(event) => set({ outcome: event.target.value })}
        choices={[
          { value: "", label: t.filters.anyOutcome },
          ...OUTCOMES.map((value) => ({ value, label: t.outcomes[value] })),
        ]}
      />
      {FIRST.filter((name) => names.includes(name)).map(input)}
      <Button
        icon={<ListFilter size={14} />}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {t.moreFilters}
      </Button>
      {isSet && (
        <Button
          look="quiet"
          icon={<X size={14} />}
          onClick={() =>
            set(Object.fromEntries(["period", ...names].map((name) => [name, undefined])))
          }
        >
          {t.clear}
        </Button>
      )}
      {isOpen && <div className="flex w-full flex-wrap gap-2">{others.map(input)}</div>}
    </Filters>
  );
}
