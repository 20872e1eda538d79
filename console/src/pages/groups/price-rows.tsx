import { Plus, X } from "lucide-react";
import { useTexts } from "../../app/language.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Input } from "../../ui/field.tsx";
import { decimal } from "../../ui/format.ts";
import { SHOWN_RATES, type GroupPrice, type ShownRate } from "./group.ts";
import { GROUP_TEXTS } from "./texts.ts";

/** One price in the form. `other`: rates that the form does not show. */
export interface PriceRow extends Readonly<Record<ShownRate, string>> {
  readonly key: number;
  readonly model: string;
  readonly other: object;
}

export function rowsOf(prices: Readonly<Record<string, GroupPrice>>): readonly PriceRow[] {
  return Object.entries(prices).map(([model, price], key) => {
    const { input, output, cached_input, ...other } = price;
    return {
      key,
      model,
      input: decimal(input),
      output: decimal(output),
      cached_input: decimal(cached_input),
      other,
    };
  });
}

export function pricesOf(rows: readonly PriceRow[]): Readonly<Record<string, object>> {
  const named = rows.filter(({ model }) => model.trim() !== "");
  return Object.fromEntries(
    named.map(({ model, other, ...row }) => {
      const rates = SHOWN_RATES.filter((rate) => row[rate] !== "");
      return [
        model.trim(),
        { ...other, ...Object.fromEntries(rates.map((rate) => [rate, row[rate]])) },
      ];
    }),
  );
}

/** The prices of a group as rows: a model and its rates. */
export function PriceRows({
  rows,
  onChange,
}: {
  readonly rows: readonly PriceRow[];
  readonly onChange: (rows: readonly PriceRow[]) => void;
}) {
  const t = useTexts(GROUP_TEXTS);
  const set = (key: number, name: "model" | ShownRate, value: string): void =>
    onChange(rows.map((row) => (row.key === key ? { ...row, [name]: value } : row)));
  const add = (): void =>
    onChange([
      ...rows,
      {
        key: 1 + Math.max(-1, ...rows.map(({ key }) => key)),
        model: "",
        input: "",
        output: "",
        cached_input: "",
        other: {},
      },
    ]);
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="text-sm font-medium">{t.prices}</legend>
      <p className="text-muted text-xs">{t.pricesHint}</p>
      {rows.map((row) => (
        <div key={row.key} className="flex flex-col gap-1">
          <div className="grid grid-cols-[1fr_1fr_1fr_auto] gap-1 sm:grid-cols-[2fr_1fr_1fr_1fr_auto]">
            <Input
              aria-label={t.model}
              placeholder={t.model}
              className="w-full max-sm:col-span-4"
              required
              value={row.model}
              onChange={(event) => set(row.key, "model", event.target.value)}
            />
            {SHOWN_RATES.map((rate) => (
              <Input
                key={rate}
                aria-label={`${t.rates[rate]}: ${row.model}`}
                placeholder={t.rates[rate]}
                inputMode="decimal"
                value={row[rate]}
                onChange={(event) => set(row.key, rate, event.target.value)}
              />
            ))}
            <IconButton
              label={t.takePrice(row.model)}
              onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
            >
              <X size={14} />
            </IconButton>
          </div>
          {Object.keys(row.other).length > 0 && (
            <p className="text-muted text-xs">{t.otherRates}</p>
          )}
        </div>
      ))}
      <Button icon={<Plus size={14} />} className="self-start" onClick={add}>
        {t.addPrice}
      </Button>
    </fieldset>
  );
}
