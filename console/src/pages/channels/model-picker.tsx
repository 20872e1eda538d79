import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { useTexts, type Translated } from "../../app/language.ts";
import { Checkbox, Input } from "../../ui/field.tsx";
import { count, money } from "../../ui/format.ts";
import { FORM_TEXTS } from "./form-texts.ts";

export interface VendorModel {
  readonly id: string;
  readonly kind: string | null;
  readonly price: Schemas["Price"] | null;
}

/** The vendor's models with their prices, to tick. `picked`: undefined for all. */
export function ModelPicker({
  models,
  total,
  picked,
  onChange,
}: {
  readonly models: readonly VendorModel[];
  readonly total: number;
  readonly picked: ReadonlySet<string> | undefined;
  readonly onChange: (picked: ReadonlySet<string> | undefined) => void;
}) {
  const t = useTexts(FORM_TEXTS);
  const [wanted, setWanted] = useState("");
  const shown = models.filter(({ id }) => id.toLowerCase().includes(wanted.toLowerCase()));
  const toggle = (id: string): void => {
    const next = new Set(picked ?? models.map((each) => each.id));
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  return (
    <div className="flex flex-col gap-2">
      <Checkbox
        label={t.all}
        checked={picked === undefined}
        onChange={() => onChange(picked === undefined ? new Set() : undefined)}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Input
          type="search"
          aria-label={t.find}
          placeholder={t.find}
          className="w-48"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
        <span className="text-muted text-xs">{t.listed(count(shown.length), count(total))}</span>
      </div>
      <div className="border-line max-h-64 overflow-auto rounded-md border">
        <table className="w-full text-sm" title={t.unit}>
          <thead>
            <tr className="text-muted text-left text-xs">
              <th className="h-8 px-2 font-medium">{t.model}</th>
              <th className="px-2 text-right font-medium">{t.input}</th>
              <th className="px-2 text-right font-medium">{t.output}</th>
              <th className="px-2 font-medium max-sm:hidden">{t.priced}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((model) => (
              <tr key={model.id} className="hover:bg-hover h-8">
                <td className="px-2">
                  <label className="flex items-center gap-2">
                    <input
                      type="checkbox"
                      className="accent-accent size-4 shrink-0"
                      checked={picked === undefined || picked.has(model.id)}
                      onChange={() => toggle(model.id)}
                    />
                    {model.id}
                  </label>
                </td>
                <PriceCells price={model.price} t={t} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function PriceCells({
  price,
  t,
}: {
  readonly price: Schemas["Price"] | null;
  readonly t: Translated<typeof FORM_TEXTS.en>;
}) {
  if (price === null)
    return (
      <>
        <td colSpan={2} className="text-warn px-2 text-right">
          {t.unpriced}
        </td>
        <td className="max-sm:hidden" />
      </>
    );
  const other = (["image", "second", "character"] as const).find(
    (unit) => price[unit] !== undefined,
  );
  const output =
    other === undefined || (price.output ?? 0) > 0
      ? money(price.output)
      : t.perUnit[other](money(price[other]));
  return (
    <>
      <td className="figures px-2 text-right">
        {other !== undefined && price.input === 0 ? "–" : money(price.input)}
      </td>
      <td className="figures px-2 text-right">{output}</td>
      <td className="text-muted figures px-2 max-sm:hidden">
        {price.source.startsWith("https://") ? (
          <a href={price.source} target="_blank" rel="noreferrer" className="hover:underline">
            {price.date}
          </a>
        ) : (
          price.date
        )}
      </td>
    </>
  );
}
