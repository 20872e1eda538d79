import { useTexts } from "../../app/language.ts";
import { Select } from "../../ui/field.tsx";
import { ALERT_TEXTS } from "./texts.ts";

const MINUTES = ["60", "480", "1440", "10080", "0"] as const;

/** Chooses the length of a silence. */
export function SilenceSelect({ onChoose }: { readonly onChoose: (minutes: number) => void }) {
  const t = useTexts(ALERT_TEXTS);
  return (
    <Select
      aria-label={t.silence}
      className="h-7 w-24"
      value=""
      choices={[
        { value: "", label: t.silence },
        ...MINUTES.map((value) => ({ value, label: t.silences[value] })),
      ]}
      onChange={({ target }) => {
        if (target.value !== "") onChoose(Number(target.value));
      }}
    />
  );
}
