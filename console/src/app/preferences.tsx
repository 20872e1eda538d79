import { Select } from "../ui/field.tsx";
import { setLanguage, useLanguage, useTexts, type Language } from "./language.ts";
import { SHELL_TEXTS } from "./texts.ts";
import { setTheme, useTheme, type Theme } from "./theme.ts";

const THEMES: readonly Theme[] = ["system", "light", "dark"];
const LANGUAGES = [
  { value: "en", label: "English" },
  { value: "zh", label: "简体中文" },
];

/** Language and theme of this browser. */
export function Preferences() {
  const t = useTexts(SHELL_TEXTS);
  const language = useLanguage();
  const theme = useTheme();
  return (
    <div className="flex gap-2">
      <Select
        aria-label={t.language}
        value={language === "pseudo" ? "en" : language}
        choices={LANGUAGES}
        onChange={(event) => setLanguage(event.target.value as Language)}
      />
      <Select
        aria-label={t.theme}
        value={theme}
        choices={THEMES.map((value) => ({ value, label: t.themes[value] }))}
        onChange={(event) => setTheme(event.target.value as Theme)}
      />
    </div>
  );
}
