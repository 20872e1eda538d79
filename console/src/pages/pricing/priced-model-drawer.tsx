import type { Schemas } from "../../api/client.ts";
import { snippetsOf } from "../../api/snippets.ts";
import { useTexts } from "../../app/language.ts";
import { Code } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { count, money } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { UI_TEXTS } from "../../ui/texts.ts";
import { PRICING_TEXTS } from "./texts.ts";

const SHOWN_SNIPPETS = 1;
const KEY = "$SLUICE_KEY";

/** A model's rates and abilities, and a first call. */
export function PricedModelDrawer({
  model,
  onClose,
}: {
  readonly model: Schemas["PricedModel"];
  readonly onClose: () => void;
}) {
  const t = useTexts(PRICING_TEXTS);
  const ui = useTexts(UI_TEXTS);
  const { price } = model;
  const yesNo = (value: boolean | null) => (value === null ? "–" : value ? ui.yes : ui.no);
  const facts = [
    [t.kind, model.kind ?? "–"],
    [t.context, count(model.context)],
    [t.maxOutput, count(model.max_output)],
    [t.takes, model.input?.join(", ") ?? "–"],
    [t.gives, model.output?.join(", ") ?? "–"],
    [t.tools, yesNo(model.tools)],
  ] as const;
  const rates = Object.entries(t.rates).flatMap(([name, label]) => {
    const value = price?.[name as keyof typeof t.rates];
    return value === undefined ? [] : [[label, money(value)] as const];
  });
  return (
    <Dialog shape="drawer" title={<span translate="no">{model.name}</span>} onClose={onClose}>
      <div className="flex flex-col gap-5">
        <Facts rows={facts} />
        <Section title={t.price}>
          {price === null ? (
            <p className="text-muted text-sm">{t.unpriced}</p>
          ) : (
            <Facts rows={rates} />
          )}
          {price?.has_variants === true && <p className="text-muted text-xs">{t.variants}</p>}
        </Section>
        {model.kind === "chat" && (
          <Section title={t.use}>
            {snippetsOf(location.origin, KEY, model.name)
              .slice(0, SHOWN_SNIPPETS)
              .map(({ name, text }) => (
                <Code key={name} text={text} label={name} />
              ))}
            <p className="text-muted text-xs">{t.useHint}</p>
          </Section>
        )}
      </div>
    </Dialog>
  );
}

function Facts({ rows }: { readonly rows: readonly (readonly [string, string])[] }) {
  return (
    <dl className="grid grid-cols-1 gap-x-6 gap-y-1 text-sm sm:grid-cols-2">
      {rows.map(([label, value]) => (
        <div key={label} className="flex min-w-0 gap-2">
          <dt className="text-muted w-36 shrink-0">{label}</dt>
          <dd className="figures min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
